import HandoffCrypto

/// The keys of the device that reads the input, and of the peer whose part the harness plays.
///
/// They are the same in every run, so that a finding can be reproduced.
struct FuzzKeys: Sendable {
    let own: DeviceKeys
    let peer: DeviceKeys
    let greeting: SessionGreeting
    /// The peer's ephemeral key in every handshake.
    let ephemeral: AgreementKey

    init() throws {
        own = try Self.device(7)
        peer = try Self.device(9)
        ephemeral = try AgreementKey(rawRepresentation: [UInt8](repeating: 11, count: 32))
        guard let greeting = SessionGreeting(bytes: [UInt8](repeating: 12, count: 16)) else {
            preconditionFailure("a greeting has 16 bytes")
        }
        self.greeting = greeting
    }

    /// Returns the keys of the device with that number, which no two devices share.
    static func device(_ number: UInt8) throws -> DeviceKeys {
        DeviceKeys(
            agreement: try AgreementKey(rawRepresentation: [UInt8](repeating: number, count: 32)),
            signing: try SigningKey(rawRepresentation: [UInt8](repeating: number, count: 32))
        )
    }

    /// Returns the advertising key of the device with that number.
    static func advertisingKey(_ number: UInt8) throws -> AdvertisingKeyRecord {
        AdvertisingKeyRecord(
            id: try AdvertisingKeyRecord.ID(bytes: [UInt8](repeating: number, count: 8)),
            daily: DailyKey(
                key: try AdvertisingKey(rawRepresentation: [UInt8](repeating: number, count: 32)),
                day: DailyKey.keptDay(at: slot)
            )
        )
    }

    /// The present slot: an hour of November 2026.
    static let slot: UInt64 = 1_994_702

    /// A handshake of the peer as the caller of a session.
    var callingPeer: NoiseHandshake {
        NoiseHandshake.calling(own.publicKeys, as: peer, after: greeting, ephemeralForTestVectors: ephemeral)
    }

    /// A handshake of the peer as the listener of a session.
    var listeningPeer: NoiseHandshake {
        NoiseHandshake.answering(own.publicKeys, as: peer, after: greeting, ephemeralForTestVectors: ephemeral)
    }
}
