package import HandoffCrypto
import HandoffModel

extension Circle {
    /// What a device found out about itself from what the others know.
    package enum SelfFinding: Hashable, Sendable {
        /// Nothing new.
        case unchanged
        /// The others had an outdated description, which has been put right.
        case corrected
        /// The others know a later key than the device itself: its state is an old copy, or somebody uses a copy of it.
        case overtaken
    }

    /// Says what this device is; the name counts only if it is not named yet.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    package mutating func present(_ newcomer: Newcomer, speaking protocolVersion: UInt32) throws(HandoffError) {
        let id = newcomer.publicKey.device
        if self[id] == nil { try insert(newcomer, by: nil) }
        try update(id) { $0.protocolVersion = protocolVersion }
    }

    /// Puts right what the others know of the device `id`, which was `before` until it was merged.
    ///
    /// A key is the device's own word. When the others know a later one than the device, the device has lost what it
    /// said, and says something later still: `fresh`, which it makes only then.
    package mutating func reassert(
        _ before: Member,
        fresh: () -> AdvertisingKey
    ) throws(HandoffError) -> SelfFinding {
        guard let now = self[before.id], now.generation != before.generation || now != before else { return .unchanged }
        if now.advertisingKeyVersion > before.advertisingKeyVersion {
            let key = fresh()
            try update(before.id) { $0.renewKey(to: key) }
            return .overtaken
        }
        guard now.advertisingKeyVersion < before.advertisingKeyVersion || now.advertisingKey != before.advertisingKey
        else { return .unchanged }
        try update(before.id) { member in
            let isOlder = member.advertisingKeyVersion < before.advertisingKeyVersion
            member.advertisingKeyVersion = before.advertisingKeyVersion
            member.advertisingKey = before.advertisingKey
            member.protocolVersion = before.protocolVersion
            // The others have a different key under the same number: only a higher one tells them which is right.
            if !isOlder { member.renewKey(to: before.advertisingKey) }
        }
        return .corrected
    }
}
