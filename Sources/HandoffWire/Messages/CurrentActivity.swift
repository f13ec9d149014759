import FoundationEssentials
package import HandoffModel

/// What a device shows at the moment, as it says in a refusal: what its advertisement says, or will say in a moment.
package struct CurrentActivity: Hashable, Sendable {
    package let activity: AdvertisedActivity
    package let hasWebpage: Bool
    package let hasDocument: Bool

    package init(_ activity: AdvertisedActivity, hasWebpage: Bool, hasDocument: Bool) {
        self.activity = activity
        self.hasWebpage = hasWebpage
        self.hasDocument = hasDocument
    }
}

extension Handoff_V1_CurrentActivity {
    /// Encodes what a device shows.
    init(_ current: CurrentActivity) {
        self.init()
        typeHash = Data(current.activity.typeHash.bytes)
        slot = current.activity.number.slot
        number = UInt32(current.activity.number.index)
        hasWebpage_p = current.hasWebpage
        hasDocument_p = current.hasDocument
    }
}

extension CurrentActivity {
    /// Decodes what a device shows; nil for what no device shows, since a refusal holds without it.
    init?(_ message: Handoff_V1_CurrentActivity) {
        guard let number = AdvertisementNumber(slot: message.slot, index: message.number),
            let typeHash = try? ActivityTypeHash(bytes: message.typeHash), typeHash != ActivityTypeHash(number: 0)
        else { return nil }
        let activity = AdvertisedActivity(typeHash: typeHash, number: number)
        self.init(activity, hasWebpage: message.hasWebpage_p, hasDocument: message.hasDocument_p)
    }
}
