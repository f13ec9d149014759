import DBus

/// The options that a caller of `Fetch` may set.
package struct FetchOptions: Hashable, Sendable {
    /// What the caller does with the activity.
    package enum Purpose: Hashable, Sendable {
        /// It shows the state that the app saved last; the app is told nothing.
        case preview
        /// It shows the newest state: the app saves first.
        case freshPreview
        /// It goes on with the activity: the app saves first, and is told.
        case take
    }

    package var purpose: Purpose
    /// Whether the caller wants what the device shows, whichever activity that is by then.
    package var takesCurrent: Bool

    /// The option of Fetch and Continue for ``takesCurrent``.
    static let current = "Current"

    package init(_ purpose: Purpose = .preview, takesCurrent: Bool = false) {
        self.purpose = purpose
        self.takesCurrent = takesCurrent
    }

    init(_ options: Value) {
        let options = options.stringDictionary ?? [:]
        let isFresh = options[Key.fresh]?.boolean ?? false
        purpose = options[Key.take]?.boolean ?? false ? .take : isFresh ? .freshPreview : .preview
        takesCurrent = options[Self.current]?.boolean ?? false
    }

    var value: Value {
        var options: [String: Value] = takesCurrent ? [Self.current: .boolean(true)] : [:]
        switch purpose {
        case .preview: break
        case .freshPreview: options[Key.fresh] = .boolean(true)
        case .take: options[Key.take] = .boolean(true)
        }
        return options.value
    }

    private enum Key {
        static let fresh = "Fresh"
        static let take = "Take"
    }
}
