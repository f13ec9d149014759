package import HandoffModel

/// The activities of this device and which of them is current.
///
/// Activities that asked to be current form a stack: the newest eligible one is the current activity, and when it
/// resigns, is invalidated or becomes ineligible, the one below is current again. An activity belongs to the client that
/// created it and leaves with it.
package struct ActivityRegister: Sendable {
    /// The name of an activity inside one run of the daemon; never used twice.
    package typealias ID = UInt64

    /// An activity as its owner last described it.
    package struct Record: Hashable, Sendable {
        package let id: ID
        /// Who created it; only this client may change it.
        package let owner: String
        package var activity: Activity
        /// Whether it may be offered to other devices at all.
        package var isEligible: Bool
    }

    /// The largest number of activities that one client may have at a time.
    package static let maximumPerOwner = 256

    private var records: [ID: Record] = [:]
    private var stack: [ID] = []
    private var nextID: ID = 1

    package init() {}

    /// The current activity: the only one that other devices may continue.
    package var current: Record? {
        stack.lazy.reversed().compactMap { records[$0] }.first(where: \.isEligible)
    }

    /// Every client that has an activity.
    package var owners: Set<String> { Set(records.values.map(\.owner)) }

    /// The activity with that id, if it exists.
    package subscript(id: ID) -> Record? { records[id] }

    /// Adds an activity, not current yet.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when the owner has too many.
    package mutating func insert(
        _ activity: Activity,
        owner: String,
        isEligible: Bool
    ) throws(HandoffError) -> Record {
        guard records.values.count(where: { $0.owner == owner }) < Self.maximumPerOwner else {
            throw HandoffError(
                .limitReached,
                "This client has \(Self.maximumPerOwner) activities already; invalidate those it no longer needs."
            )
        }
        let record = Record(id: nextID, owner: owner, activity: activity, isEligible: isEligible)
        nextID += 1
        records[record.id] = record
        return record
    }

    /// Replaces an activity's state; unknown ids are ignored.
    package mutating func update(_ id: ID, _ change: (inout Record) -> Void) {
        guard var record = records[id] else { return }
        change(&record)
        records[id] = record
    }

    /// Puts the activity on top of those that want to be current.
    package mutating func becomeCurrent(_ id: ID) {
        guard records[id] != nil else { return }
        stack.removeAll { $0 == id }
        stack.append(id)
    }

    /// Takes the activity out of those that want to be current.
    package mutating func resignCurrent(_ id: ID) {
        stack.removeAll { $0 == id }
    }

    /// Removes the activity.
    @discardableResult
    package mutating func invalidate(_ id: ID) -> Record? {
        stack.removeAll { $0 == id }
        return records.removeValue(forKey: id)
    }

    /// Removes every activity of a client that is gone, and returns them in the order of their creation.
    package mutating func removeAll(ownedBy owner: String) -> [Record] {
        let gone = records.values.filter { $0.owner == owner }.sorted { $0.id < $1.id }
        for record in gone { invalidate(record.id) }
        return gone
    }
}
