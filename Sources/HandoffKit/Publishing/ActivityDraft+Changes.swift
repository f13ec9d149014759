import HandoffBus
import HandoffModel

extension ActivityDraft {
    /// The properties of a ``UserActivity`` that differ.
    func changedProperties(since old: ActivityDraft) -> Set<UserActivityProperty> {
        var changed: Set<UserActivityProperty> = []
        func compare<Part: Equatable>(_ part: KeyPath<ActivityDraft, Part>, _ property: UserActivityProperty) {
            if self[keyPath: part] != old[keyPath: part] { changed.insert(property) }
        }
        // Texts are compared byte by byte, as they are sent: another Unicode spelling is a change.
        func compareText(_ part: KeyPath<ActivityDraft, String?>, _ property: UserActivityProperty) {
            if !self[keyPath: part].isExactly(old[keyPath: part]) { changed.insert(property) }
        }
        compareText(\.properties.title, .title)
        if !HandoffModel.UserInfoValue.haveEqualEntries(properties.userInfo, old.properties.userInfo) {
            changed.insert(.userInfo)
        }
        if !properties.requiredUserInfoKeys.isExactly(old.properties.requiredUserInfoKeys) {
            changed.insert(.requiredUserInfoKeys)
        }
        compare(\.properties.webpageURL, .webpageURL)
        compareText(\.properties.documentURL, .documentURL)
        compare(\.properties.expiration, .expirationDate)
        compareText(\.properties.targetContentIdentifier, .targetContentIdentifier)
        compareText(\.properties.persistentIdentifier, .persistentIdentifier)
        compareText(\.properties.teamID, .teamID)
        compare(\.properties.supportsContinuationStreams, .supportsContinuationStreams)
        compare(\.isEligible, .isEligibleForHandoff)
        compare(\.needsSave, .needsSave)
        return changed
    }
}
