import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire

/// One side of a published pairing.
enum PairingSide: String, Codable, CaseIterable, Sendable {
    case caller, listener

    var other: PairingSide { self == .caller ? .listener : .caller }
}

/// What one side of a published pairing has: its keys, and the numbers that are random otherwise.
struct PairingVectorKeys: Codable, Equatable, Sendable {
    let token: String
    let name: String
    let agreementPrivateKey: String
    let signingPrivateKey: String
    let ephemeralPrivateKey: String
    let nonce: String
    let advertisingKey: String

    init(_ random: inout SeededRandom, name: String) {
        self.name = name
        token = hex(PairingToken.random(using: &random).bytes)
        agreementPrivateKey = hex(random.bytes(32))
        signingPrivateKey = hex(random.bytes(32))
        ephemeralPrivateKey = hex(random.bytes(32))
        nonce = hex(random.bytes(16))
        advertisingKey = hex(random.bytes(32)) + "0000512a" + hex(random.bytes(8))
    }

    /// The keys of both sides of all published refusals.
    static var published: [PairingSide: PairingVectorKeys] {
        var random = SeededRandom(seed: 71)
        let caller = PairingVectorKeys(&random, name: "laptop")
        return [.caller: caller, .listener: PairingVectorKeys(&random, name: "desk")]
    }

    var pairingToken: PairingToken { get throws { try PairingToken(bytes: bytes(token)) } }

    var ephemeral: AgreementKey { get throws { try AgreementKey(rawRepresentation: bytes(ephemeralPrivateKey)) } }

    var pairingNonce: PairingNonce { get throws { try PairingNonce(bytes: bytes(nonce)) } }

    var deviceKeys: DeviceKeys {
        get throws {
            DeviceKeys(
                agreement: try AgreementKey(rawRepresentation: bytes(agreementPrivateKey)),
                signing: try SigningKey(rawRepresentation: bytes(signingPrivateKey))
            )
        }
    }

    /// The exchange of this side, which dials if it is the caller.
    func exchange(_ side: PairingSide, with other: PairingVectorKeys) throws -> PairingExchange {
        PairingExchange(
            dialling: side == .caller ? try other.pairingToken : nil,
            as: try pairingToken,
            LocalIdentity(
                try deviceKeys,
                name: try DeviceName(name),
                advertisingKey: try AdvertisingKeyRecord(rawRepresentation: bytes(advertisingKey))
            ),
            at: .at(0),
            numbersForTestVectors: (try ephemeral, try pairingNonce)
        )
    }
}
