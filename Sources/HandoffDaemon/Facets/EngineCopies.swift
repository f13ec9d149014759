import AsyncSupport
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging

extension Engine {
    /// What is known about copies of this device.
    var copies: EngineCopies { EngineCopies(engine: self) }
}

/// Copies of this device: machines that use a copy of its state directory (Docs/Protocol.md, "Copies of a device").
struct EngineCopies: Sendable {
    let engine: Engine

    /// The advisories about copies.
    var advisories: [(name: String, message: String)] {
        let now = Moment.now
        let (isProved, isSuspected) = engine.read {
            ($0.trust.ownKeyDetector.isCopyProved, $0.trust.ownKeyDetector.isSuspected(at: now.uptime))
        }
        if isProved { return [("identity-copied", Self.proved)] }
        return isSuspected ? [("own-key-heard", Self.suspected)] : []
    }

    private static let proved =
        "Another machine uses a copy of this device's state directory: it has proved that it has this device's keys. Remove "
        + "this device on another one of yours, delete the state directory on both machines, and let both join again."
    private static let suspected =
        "An advertisement under this device's own key was received that it has not sent. Each of your devices can make one, "
        + "and its sender has not proved that it has this device's keys. This alone is no reason to change anything: look "
        + "whether `handoffctl devices` lists only devices of yours; Trust.md explains the rest."

    /// Handles an advertisement under this device's own key: if this device has not sent it, another device of the circle
    /// or a copy of this one has.
    func receive(_ received: AdvertisementReport, _ payload: AdvertisementPayload, of slot: UInt64) {
        let now = Moment.now
        let endpoint = PeerEndpoint(address: received.address, port: payload.port)
        let (isForeign, isNew) = engine.edit { state in
            guard !state.radio.hasSent(received.data) else { return (false, false) }
            return (true, state.trust.ownKeyDetector.recordForeign(slot: slot, from: endpoint, at: now.uptime))
        }
        guard isForeign else { return }
        engine.deviceUpdates.set(())
        guard isNew else { return }
        engine.change { state, _ in state.show(.identityChanged) }
        engine.logger.warning(
            "an advertisement under this device's own key was received that it has not sent",
            metadata: ["event": "identity.ownkey"]
        )
    }

    /// Returns where to call a possible copy; counts the call.
    func nextCall() -> PeerEndpoint? {
        engine.edit { state in
            state.radio.isReady && !state.rules.isPaused
                ? state.trust.ownKeyDetector.nextCall(slot: Moment.now.slot) : nil
        }
    }

    /// Where a possible copy was last heard: a call that is under way goes on there.
    var latestEndpoint: PeerEndpoint? { engine.read { $0.trust.ownKeyDetector.latestEndpoint } }

    /// Records the first message of a call to a possible copy, before it is sent.
    func willCall(with firstMessage: [UInt8]) {
        engine.edit { $0.trust.ownKeyDetector.recordCall(firstMessage) }
    }

    /// Whether a caller with this device's keys is this device itself, whose call somebody has passed on.
    func isOwnCall(_ firstMessage: [UInt8]) -> Bool {
        engine.read { $0.trust.ownKeyDetector.isOwnCall(firstMessage) }
    }

    /// Records that another machine has proved that it has this device's keys.
    func recordProof() {
        guard engine.edit({ $0.trust.ownKeyDetector.recordProof() }) else { return }
        engine.change { state, _ in state.show(.identityChanged) }
        engine.logger.error(
            "another machine uses a copy of this device's state directory",
            metadata: ["event": "identity.copied"]
        )
    }
}
