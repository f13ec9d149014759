package import HandoffModel

/// What a device offers, as others are to see it: an activity is another one when it is about another document, or is for
/// apps of another team.
package struct OfferedActivity: Hashable, Sendable {
    /// The activity.
    package let id: ActivityID
    /// Counts how often its document was replaced by another one.
    package let documents: UInt64
    /// The hash of its type and team.
    package let typeHash: ActivityTypeHash

    package init(id: ActivityID, documents: UInt64 = 0, typeHash: ActivityTypeHash) {
        (self.id, self.documents, self.typeHash) = (id, documents, typeHash)
    }
}
