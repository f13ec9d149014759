import DBus
import HandoffBus

/// What the daemon reports about an activity: in signals, and in a description of the whole once it was created.
struct PublishedState: Hashable, Sendable {
    /// Whether it is the current activity of the device.
    private(set) var isCurrent = false
    /// Why its document cannot follow to another device; nil when it can.
    private(set) var documentProblem: String?
    /// Its size as it is sent, in bytes; nil before the daemon has reported it.
    private(set) var encodedSize: Int?
    /// Whether the daemon has described the activity since it was created.
    private(set) var isDescribed = false
    /// The properties of which a signal has arrived.
    private var signalled: Set<String> = []

    /// Takes in the changes that a signal reports.
    mutating func apply(signal properties: [String: Value]) {
        signalled.formUnion(properties.keys)
        apply(properties)
    }

    /// Takes in the description of the whole activity.
    ///
    /// Signals and replies are read by different tasks, so a signal that was sent after the description may have
    /// arrived before it. Every change has its signal: what signals have reported is as new, or a newer one follows.
    mutating func apply(description properties: [String: Value]) {
        isDescribed = true
        apply(properties.filter { !signalled.contains($0.key) })
    }

    /// Records that the daemon has no object for the activity any more.
    ///
    /// The document and the size remain as they were, as far as is known.
    mutating func forget() {
        isCurrent = false
        isDescribed = false
        signalled = []
    }

    /// The properties that differ.
    func changes(since old: PublishedState) -> Set<UserActivityProperty> {
        var changed: Set<UserActivityProperty> = []
        if isCurrent != old.isCurrent { changed.insert(.isCurrent) }
        if documentProblem != old.documentProblem || isDescribed != old.isDescribed { changed.insert(.documentProblem) }
        if encodedSize != old.encodedSize { changed.insert(.encodedSize) }
        return changed
    }

    private mutating func apply(_ properties: [String: Value]) {
        if let isCurrent = properties[ActivityInterface.current.name.description]?.boolean {
            self.isCurrent = isCurrent
        }
        if let problem = properties[ActivityInterface.documentProblem.name.description]?.string {
            documentProblem = problem.isEmpty ? nil : problem
        }
        if let size = properties["EncodedSize"]?.uint32 { encodedSize = Int(size) }
    }
}
