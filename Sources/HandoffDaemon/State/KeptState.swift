import HandoffCore
import HandoffCrypto

/// The part of the engine's state that is kept in the state directory.
struct KeptState: Sendable {
    var devices: TrustedDevices
    var pairings: PairingRecords

    /// Moves all keys forward to those of the present day, and forgets pairings about which nobody may ask any more, so
    /// that whoever takes the state opens as little as possible of what was recorded before.
    ///
    /// - Parameter earlier: the keys as they were before the clock was set, which are used again where they are better.
    /// - Returns: this device's key if it had to be replaced.
    @discardableResult
    mutating func moveForward(to now: Moment, restoring earlier: EarlierKeys? = nil) -> AdvertisingKeyRecord.ID? {
        defer { pairings.forgetExpired(at: now) }
        return devices.advance(to: now.slot, restoring: earlier)
    }
}

extension Engine.State {
    /// The part of the state that is kept in the state directory.
    var kept: KeptState { KeptState(devices: trust.devices, pairings: pairing.records) }

    /// Replaces the kept part of the state, and everything that follows from it.
    ///
    /// - Throws: ``HandoffError`` when a device's key is unusable; then nothing has changed.
    mutating func keep(_ kept: KeptState) throws(HandoffError) {
        let unconfirmed = pairing.records.unconfirmed
        var draft = pairing
        try draft.setRecords(kept.pairings, for: kept.devices.identity)
        try trust.setDevices(kept.devices)
        pairing = draft
        if unconfirmed != pairing.records.unconfirmed { show(.pairingsChanged) }
    }
}
