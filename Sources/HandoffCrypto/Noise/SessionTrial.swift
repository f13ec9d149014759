package import HandoffModel

/// Finds out which of many devices opens a session, since the first message does not name its sender.
///
/// All 64 bytes of both devices' public keys are in the prologue. Of two devices with the same agreement key, only the
/// one whose signing key the caller has, too, is found: whoever is brought into a circle with the agreement key of
/// another device is not taken for it.
package struct SessionTrial: Sendable {
    /// The caller, the payload of its message, and the handshake that answers it.
    package struct Match: Sendable {
        /// The caller.
        package let device: DeviceID
        /// The payload of the first message.
        package let payload: [UInt8]
        /// The handshake, ready to write the second message.
        package var handshake: NoiseHandshake
    }

    private let own: DevicePublicKeys
    private let trial: NoiseResponderTrial<DevicePublicKeys>

    /// Prepares to answer these devices.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when a device's key is of low order; do not store such a key.
    package init(_ own: DeviceKeys, devices: [DevicePublicKeys]) throws(CryptoError) {
        self.init(
            own: own.publicKeys,
            trial: try NoiseResponderTrial(
                localStatic: own.agreement,
                candidates: devices.map { ($0, $0.agreement) }
            )
        )
    }

    /// Returns a trial of some of these devices only.
    package func filtered(_ isIncluded: (DeviceID) -> Bool) -> SessionTrial {
        SessionTrial(own: own, trial: trial.filtered { isIncluded($0.device) })
    }

    /// Returns the device that sent this message in the session that began with this greeting.
    ///
    /// - Throws: ``CryptoError/Code/authenticationFailed`` when none of these devices sent it;
    ///   ``CryptoError/Code/malformed`` or ``CryptoError/Code/weakKey`` when the message is invalid.
    package func match(
        _ message: [UInt8],
        greeting: SessionGreeting,
        ephemeralForTestVectors: AgreementKey? = nil
    ) throws(CryptoError) -> Match {
        let match = try trial.match(message, ephemeralForTestVectors: ephemeralForTestVectors) {
            greeting.prologue(caller: $0, listener: own)
        }
        return Match(device: match.id.device, payload: match.payload, handshake: match.handshake)
    }

    private init(own: DevicePublicKeys, trial: NoiseResponderTrial<DevicePublicKeys>) {
        self.own = own
        self.trial = trial
    }
}

extension NoiseHandshake {
    /// Returns the handshake with which a device opens a session with `peer`, after its greeting.
    package static func calling(
        _ peer: DevicePublicKeys,
        as own: DeviceKeys,
        after greeting: SessionGreeting,
        ephemeralForTestVectors: AgreementKey? = nil
    ) -> NoiseHandshake {
        initiator(
            localStatic: own.agreement,
            remoteStatic: peer.agreement,
            prologue: greeting.prologue(caller: own.publicKeys, listener: peer),
            ephemeralForTestVectors: ephemeralForTestVectors
        )
    }

    /// Returns the handshake with which a device answers a session of `peer`, whom it knows; otherwise see
    /// ``SessionTrial``.
    package static func answering(
        _ peer: DevicePublicKeys,
        as own: DeviceKeys,
        after greeting: SessionGreeting,
        ephemeralForTestVectors: AgreementKey? = nil
    ) -> NoiseHandshake {
        responder(
            localStatic: own.agreement,
            remoteStatic: peer.agreement,
            prologue: greeting.prologue(caller: peer, listener: own.publicKeys),
            ephemeralForTestVectors: ephemeralForTestVectors
        )
    }
}
