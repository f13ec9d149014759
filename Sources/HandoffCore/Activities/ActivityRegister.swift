package import HandoffModel
import HandoffWire

/// The activities of this device and which of them is current.
///
/// Activities that were made current form a stack: the newest one that is eligible and has not expired is the current
/// activity; when it resigns, is invalidated, becomes ineligible or expires, the one below is current again. An
/// activity belongs to the client that created it, and is removed when the client leaves.
///
/// Where it is known which clients have the focus, those that had it and have lost it are skipped: a person who has turned
/// to another app does not continue the last one. A client that never had it, such as one without a window, is not.
package struct ActivityRegister<Owner: ActivityOwner>: Sendable {
    /// The id of an activity, whoever owns it.
    package typealias ID = ActivityID

    /// An activity as last described by its owner.
    package struct Record: Hashable, Sendable {
        package let id: ID
        /// The client that created it; only this client may change it.
        package let owner: Owner
        package var activity: Activity {
            didSet { (keptSize, encodedSize) = Self.sizes(of: activity) }
        }
        /// Whether its owner allows it to be offered to other devices.
        package var isEligible: Bool
        /// Whether its owner has newer state than `activity`, and wants to be asked for it before it is fetched.
        package var needsSave = false
        /// Where its owner receives callbacks; nil for none.
        package var delegate: Owner.Delegate?
        /// The id of its app's desktop file, which may declare its team; nil for none.
        package var application: String?
        /// Why its document is not available on other devices now; nil when it is, or when there is no document.
        package var documentProblem: String?
        /// The encoded size in bytes of what is sent of it.
        package private(set) var encodedSize: Int
        /// What all of it counts in bytes (``ActivityQuota``).
        fileprivate private(set) var keptSize: Int
        /// Whether it has expired, as of the last ``ActivityRegister/expire(at:)``.
        package fileprivate(set) var isExpired = false
        /// The URL of the document that it was about last; nil if it never was about one.
        fileprivate var lastDocument: String?
        /// Counts how often its document was replaced by another one.
        fileprivate(set) var documents: UInt64 = 0

        /// Whether it may be continued, as far as its own state is concerned.
        package var isOffered: Bool { isEligible && !isExpired && documentProblem == nil }

        /// Whether its app accepts continuation streams.
        package var takesStreams: Bool { activity.supportsContinuationStreams && delegate != nil }

        fileprivate init(id: ID, owner: Owner, activity: Activity, isEligible: Bool) {
            self.id = id
            self.owner = owner
            self.activity = activity
            self.isEligible = isEligible
            (keptSize, encodedSize) = Self.sizes(of: activity)
            lastDocument = activity.documentURL
        }

        private static func sizes(of activity: Activity) -> (kept: Int, sent: Int) {
            let size = activity.encodedSize
            let values = activity.userInfo.values.reduce(0) { $0 + 2 + $1.busValueCount }
            let kept = max(size, values * ActivityQuota<Owner>.bytesPerValue)
            return (kept, activity.requiredUserInfoKeys.isEmpty ? size : activity.reducedToRequiredKeys.encodedSize)
        }
    }

    private var records: [ID: Record] = [:]
    private var quota = ActivityQuota<Owner>()
    private var stack: [ID] = []
    /// The clients that have the focus, and those that have lost it; nil while it is unknown who has it.
    private var focus: (present: Set<Owner>, past: Set<Owner>)?
    /// The activities with an expiration date, which are few.
    private var expiring: Set<ID> = []
    /// The activities about a document, which are few.
    private var documented: Set<ID> = []
    private var nextID: ID = 1

    /// Creates a register without activities.
    package init() {}

    /// The current activity: the only one that other devices may continue.
    package var current: Record? {
        stack.lazy.reversed().compactMap { records[$0] }.first { record in
            record.isOffered && focus?.past.contains(record.owner) != true
        }
    }

    /// The activity that would be current if its app had not lost the focus; nil while another one is current.
    package var withoutFocus: Record? {
        guard current == nil else { return nil }
        return stack.lazy.reversed().compactMap { records[$0] }.first(where: \.isOffered)
    }

    /// Every client that has an activity.
    package var owners: Set<Owner> { Set(records.values.map(\.owner)) }

    /// Every client of which it matters whether it has the focus: it has an activity, or has or had the focus.
    package var followed: Set<Owner> { owners.union(focus?.present ?? []).union(focus?.past ?? []) }

    /// Returns the activity with that id, if it exists.
    package subscript(id: ID) -> Record? { records[id] }

    /// Adds an activity, which is not current yet.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when the owner, or all owners together, have too many or too large ones.
    package mutating func insert(
        _ activity: Activity,
        owner: Owner,
        isEligible: Bool
    ) throws(HandoffError) -> Record {
        let record = Record(id: nextID, owner: owner, activity: activity, isEligible: isEligible)
        try quota.add(record.keptSize, of: owner)
        nextID = nextID.next
        records[record.id] = record
        if activity.expiration != nil { expiring.insert(record.id) }
        if activity.documentURL != nil { documented.insert(record.id) }
        return record
    }

    /// Replaces an activity's state; unknown ids are ignored.
    ///
    /// An activity that is about another document from now on is another one for a user.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when it would become too large; then nothing has changed.
    package mutating func update(_ id: ID, _ change: (inout Record) -> Void) throws(HandoffError) {
        guard let before = records[id] else { return }
        var record = before
        change(&record)
        try quota.replace(before.keptSize, by: record.keptSize, of: record.owner)
        if let document = record.activity.documentURL {
            if let last = record.lastDocument, last != document { record.documents += 1 }
            record.lastDocument = document
        }
        if record.activity.expiration == nil {
            expiring.remove(id)
            record.isExpired = false
        } else {
            expiring.insert(id)
        }
        if record.activity.documentURL == nil {
            documented.remove(id)
            record.documentProblem = nil
        } else {
            documented.insert(id)
        }
        records[id] = record
    }

    /// Records whether the owner has newer state than it has sent; unknown ids are ignored.
    package mutating func setNeedsSave(_ needsSave: Bool, of id: ID) {
        records[id]?.needsSave = needsSave
    }

    /// Records why the document of an activity is not available on other devices, nil if it is; ignored for one without a
    /// document.
    package mutating func setDocumentProblem(_ problem: String?, of id: ID) {
        guard documented.contains(id) else { return }
        records[id]?.documentProblem = problem
    }

    /// The URLs of documents, keyed by the activities that are about them.
    package var documents: [ID: String] {
        documented.reduce(into: [:]) { $0[$1] = records[$1]?.activity.documentURL }
    }

    /// Updates which activities have expired by the wall clock.
    package mutating func expire(at now: Moment) {
        for id in expiring {
            let expiration = records[id]?.expiration
            records[id]?.isExpired = expiration.map { $0 <= now.unixMicroseconds } ?? false
        }
    }

    /// When the next of the activities in the stack expires, in microseconds since 1970; nil for never.
    package var nextExpiration: Int64? {
        guard !expiring.isEmpty else { return nil }
        return stack.compactMap { records[$0] }.filter { !$0.isExpired }.compactMap(\.expiration).min()
    }

    /// Sets which clients have the focus; nil while it is unknown.
    ///
    /// The activities of clients that get the focus come to the top of the stack, in the order in which they are in it.
    ///
    /// - Parameters:
    ///   - owners: those that have it; of them, those that are not ``followed`` have left, and are ignored.
    ///   - past: those that had it, besides those that this register knows of.
    ///   - forgotten: those that had it, but count as if they never had, since they cannot get it again.
    package mutating func setFocus(
        _ owners: Set<Owner>?,
        past: Set<Owner> = [],
        forgetting forgotten: Set<Owner> = []
    ) {
        guard let owners = owners?.intersection(followed) else { return focus = nil }
        let before = focus ?? (present: [], past: [])
        let lost = before.past.union(before.present).union(past.intersection(followed))
        focus = (owners, lost.subtracting(owners).subtracting(forgotten))
        let raised = stack.filter { id in
            records[id].map { owners.contains($0.owner) && !before.present.contains($0.owner) } ?? false
        }
        stack = stack.filter { !raised.contains($0) } + raised
    }

    /// Puts the activity on top of the stack.
    package mutating func becomeCurrent(_ id: ID) {
        guard records[id] != nil else { return }
        stack.removeAll { $0 == id }
        stack.append(id)
    }

    /// Removes the activity from the stack.
    package mutating func resignCurrent(_ id: ID) {
        stack.removeAll { $0 == id }
    }

    /// Removes the activity.
    @discardableResult
    package mutating func invalidate(_ id: ID) -> Record? {
        stack.removeAll { $0 == id }
        expiring.remove(id)
        documented.remove(id)
        guard let record = records.removeValue(forKey: id) else { return nil }
        quota.remove(record.keptSize, of: record.owner)
        return record
    }

    /// Removes every activity of a client that has left, and returns them in the order of their creation.
    package mutating func removeAll(ownedBy owner: Owner) -> [Record] {
        let gone = records.values.filter { $0.owner == owner }.sorted { $0.id < $1.id }
        for record in gone { invalidate(record.id) }
        focus?.present.remove(owner)
        focus?.past.remove(owner)
        return gone
    }
}

extension ActivityRegister.Record {
    /// The expiration date in microseconds since 1970; nil for never.
    fileprivate var expiration: Int64? {
        // The years -9999 to 9999 in microseconds are well within the range of Int64.
        activity.expiration.map { $0.seconds * 1_000_000 + Int64($0.nanoseconds / 1000) }
    }
}
