import HandoffBus
import HandoffModel

extension ActivityDraft {
    /// The properties of a ``UserActivity`` that differ.
    func changedProperties(since old: ActivityDraft) -> Set<UserActivityProperty> {
        var changed: Set<UserActivityProperty> = []
        func compare<Part: Equatable>(_ part: KeyPath<ActivityDraft, Part>, _ property: UserActivityProperty) {
            if self[keyPath: part] != old[keyPath: part] { changed.insert(property) }
        }
        compare(\.properties.title, .title)
        compare(\.properties.userInfo, .userInfo)
        compare(\.properties.requiredUserInfoKeys, .requiredUserInfoKeys)
        compare(\.properties.webpageURL, .webpageURL)
        compare(\.properties.documentURL, .documentURL)
        compare(\.properties.expiration, .expirationDate)
        compare(\.properties.targetContentIdentifier, .targetContentIdentifier)
        compare(\.properties.persistentIdentifier, .persistentIdentifier)
        compare(\.properties.teamID, .teamID)
        compare(\.properties.supportsContinuationStreams, .supportsContinuationStreams)
        compare(\.isEligible, .isEligibleForHandoff)
        compare(\.needsSave, .needsSave)
        return changed
    }
}
