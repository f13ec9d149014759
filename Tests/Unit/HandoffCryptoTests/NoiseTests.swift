import enum Crypto.AES
import struct Crypto.SymmetricKey
import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCrypto

@Suite("Noise handshake and transport", .endsWithin(minutes: 10))
struct NoiseTests {
    let caller = AgreementKey.generate()
    let listener = AgreementKey.generate()

    private func pair() -> (NoiseHandshake, NoiseHandshake) {
        (
            .initiator(localStatic: caller, remoteStatic: listener.publicKey, prologue: []),
            .responder(localStatic: listener, remoteStatic: caller.publicKey, prologue: [])
        )
    }

    private func session() throws -> (NoiseTransport, NoiseTransport) {
        var (initiator, responder) = pair()
        _ = try responder.readMessage(initiator.writeMessage([]))
        _ = try initiator.readMessage(responder.writeMessage([]))
        return (try initiator.split(), try responder.split())
    }

    @Test("Both handshake messages transfer a payload, and each is 48 bytes longer than it")
    func payloads() throws {
        var (initiator, responder) = pair()
        let first = try initiator.writeMessage([1, 2, 3])
        #expect(first.count == 51)
        #expect(try responder.readMessage(first) == [1, 2, 3])
        let second = try responder.writeMessage([4])
        #expect(second.count == 49)
        #expect(try initiator.readMessage(second) == [4])
        #expect(initiator.isFinished && responder.isFinished)
        #expect(initiator.handshakeHash == responder.handshakeHash)
    }

    @Test("Two handshakes of the same devices share no byte pattern and no hash")
    func freshness() throws {
        var (one, _) = pair()
        var (other, _) = pair()
        #expect(try one.writeMessage([1]) != other.writeMessage([1]))
        #expect(one.handshakeHash != other.handshakeHash)
    }

    @Test("A first message with any flipped bit or any missing byte is refused")
    func damagedFirst() throws {
        var (initiator, _) = pair()
        let message = try initiator.writeMessage([7])
        // Including the highest bit of the key, which X25519 ignores (RFC 7748, section 5) but the transcript does not.
        for damaged in Damage.bitFlips(of: message) {
            var responder = pair().1
            #expect(throws: CryptoError.self) { try responder.readMessage(damaged) }
        }
        for truncated in Damage.truncations(of: message) {
            var responder = pair().1
            #expect(throws: CryptoError.self) { try responder.readMessage(truncated) }
        }
    }

    @Test("A second message that was changed is refused, and ends the handshake")
    func damagedSecond() throws {
        var (initiator, responder) = pair()
        _ = try responder.readMessage(initiator.writeMessage([]))
        var message = try responder.writeMessage([7])
        message[40] ^= 1
        let error = #expect(throws: CryptoError.self) { try initiator.readMessage(message) }
        #expect(error?.code == .authenticationFailed)
        message[40] ^= 1
        let after = #expect(throws: CryptoError.self) { try initiator.readMessage(message) }
        #expect(after?.code == .outOfOrder)
    }

    @Test("Steps out of order are refused")
    func order() throws {
        var (initiator, responder) = pair()
        var silent = pair()
        let errors = [
            #expect(throws: CryptoError.self) { try responder.writeMessage([]) },
            #expect(throws: CryptoError.self) { try silent.0.readMessage([UInt8](repeating: 9, count: 48)) },
            #expect(throws: CryptoError.self) { try silent.1.split() },
            #expect(throws: CryptoError.self) {
                _ = try initiator.writeMessage([])
                _ = try initiator.writeMessage([])
            },
        ]
        #expect(errors.map { $0?.code } == [.outOfOrder, .outOfOrder, .outOfOrder, .outOfOrder])
    }

    @Test("A session with another prologue, with another device or with its own reflection is refused")
    func bindings() throws {
        var (initiator, _) = pair()
        let message = try initiator.writeMessage([])
        var others: [NoiseHandshake] = [
            .responder(localStatic: listener, remoteStatic: caller.publicKey, prologue: [1]),
            .responder(localStatic: listener, remoteStatic: AgreementKey.generate().publicKey, prologue: []),
            .responder(localStatic: AgreementKey.generate(), remoteStatic: caller.publicKey, prologue: []),
            .responder(localStatic: caller, remoteStatic: listener.publicKey, prologue: []),
        ]
        for index in others.indices {
            let error = #expect(throws: CryptoError.self) { try others[index].readMessage(message) }
            #expect(error?.code == .authenticationFailed)
        }
        let reflected = #expect(throws: CryptoError.self) { try initiator.readMessage(message) }
        #expect(reflected?.code == .authenticationFailed)
    }

    @Test(
        "Public keys of low order are refused in every place",
        arguments: [
            // The points of order 1, 2, 4 and 8 and their other spellings (cr.yp.to/ecdh.html, "validate public keys").
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ]
    )
    func lowOrder(point: String) throws {
        let weak = try AgreementPublicKey(rawRepresentation: bytes(point))
        var initiator = NoiseHandshake.initiator(localStatic: caller, remoteStatic: weak, prologue: [])
        var responder = pair().1
        let message = weak.rawRepresentation + [UInt8](repeating: 0, count: 16)
        let trial = try NoiseResponderTrial(localStatic: listener, candidates: [(1, caller.publicKey)])
        let errors = [
            #expect(throws: CryptoError.self) { try initiator.writeMessage([]) },
            #expect(throws: CryptoError.self) { try responder.readMessage(message) },
            #expect(throws: CryptoError.self) { try trial.match(message, prologue: []) },
            #expect(throws: CryptoError.self) {
                try NoiseResponderTrial(localStatic: listener, candidates: [(1, weak)])
            },
        ]
        #expect(errors.map { $0?.code } == [.weakKey, .weakKey, .weakKey, .weakKey])
    }

    @Test("X25519 agrees with RFC 7748 section 6.1")
    func agreement() throws {
        let bob = try AgreementKey(rawRepresentation: bytes(Self.bobKey))
        #expect(hex(bob.publicKey.rawRepresentation) == Self.bobPublic)
        let secret = try bob.sharedSecret(with: AgreementPublicKey(rawRepresentation: bytes(Self.alicePublic)))
        #expect(hex(secret.withUnsafeBytes { Array($0) }) == Self.shared)
    }

    private static let bobKey = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
    private static let alicePublic = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    private static let bobPublic = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
    private static let shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"

    @Test("Transport messages that are changed, repeated, skipped or too short are refused")
    func transport() throws {
        var (sender, receiver) = try session()
        let first = try sender.encrypt([1])
        let second = try sender.encrypt([2])
        #expect(first.count == 17)
        #expect(throws: CryptoError.self) { try receiver.decrypt(second) }
        #expect(throws: CryptoError.self) { try receiver.decrypt(first.map { $0 ^ 1 }) }
        #expect(throws: CryptoError.self) { try receiver.decrypt([1, 2, 3]) }
        #expect(throws: CryptoError.self) { try sender.decrypt(first) }
        #expect(try receiver.decrypt(first) == [1])
        #expect(throws: CryptoError.self) { try receiver.decrypt(first) }
        #expect(try receiver.decrypt(second) == [2])
    }

    @Test("The longest message is accepted, and one byte more is refused")
    func longest() throws {
        var (sender, receiver) = try session()
        let longest = [UInt8](repeating: 5, count: NoiseTransport.maximumPlaintextBytes)
        let message = try sender.encrypt(longest)
        #expect(message.count == 65_535)
        #expect(try receiver.decrypt(message) == longest)
        let error = #expect(throws: CryptoError.self) { try sender.encrypt(longest + [5]) }
        #expect(error?.code == .malformed)
        #expect(throws: CryptoError.self) { try receiver.decrypt(message + [0]) }
    }

    @Test("The last nonce is never used")
    func exhaustion() throws {
        var cipher = NoiseCipherState(key: [UInt8](repeating: 1, count: 32), nonce: .max - 1)
        let message = try cipher.encrypt([1], authenticating: [])
        let error = #expect(throws: CryptoError.self) { try cipher.encrypt([1], authenticating: []) }
        #expect(error?.code == .nonceExhausted)
        let other = #expect(throws: CryptoError.self) { try cipher.decrypt(message, authenticating: []) }
        #expect(other?.code == .nonceExhausted)
    }

    @Test("After a million messages an AES key is replaced by what it makes of zeros with the last nonce")
    func nextKey() throws {
        let last: UInt64 = (1 << 20) - 1
        let key = [UInt8](repeating: 1, count: 32)
        var sender = NoiseCipherState(.aesGCM, key: key, nonce: last)
        var receiver = sender
        let messages = try [[1], [2], [3]].map { try sender.encrypt($0, authenticating: []) }
        for (index, message) in messages.enumerated() {
            #expect(try receiver.decrypt(message, authenticating: []) == [UInt8(index + 1)])
        }
        var old = NoiseCipherState(.aesGCM, key: key, nonce: last + 1)
        #expect(throws: CryptoError.self) { try old.decrypt(messages[1], authenticating: []) }
        let nonce = try AES.GCM.Nonce(data: [0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8))
        let zeros = [UInt8](repeating: 0, count: 32)
        let next = Array(try AES.GCM.seal(zeros, using: SymmetricKey(data: key), nonce: nonce).ciphertext)
        var new = NoiseCipherState(.aesGCM, key: next, nonce: last + 1)
        #expect(try new.decrypt(messages[1], authenticating: []) == [2])
    }

    @Test("A message that does not decrypt leaves the state as it was", arguments: NoiseCipher.allCases)
    func damage(cipher: NoiseCipher) throws {
        let key = [UInt8](repeating: 1, count: 32)
        var (sender, receiver) = (NoiseCipherState(cipher, key: key), NoiseCipherState(cipher, key: key))
        let message = try sender.encrypt([1, 2], authenticating: [3])
        #expect(message.count == 2 + NoiseCipherState.tagBytes)
        for index in message.indices {
            var changed = message
            changed[index] ^= 1
            #expect(throws: CryptoError.self) { try receiver.decrypt(changed, authenticating: [3]) }
        }
        #expect(throws: CryptoError.self) { try receiver.decrypt(message, authenticating: []) }
        #expect(try receiver.decrypt(message, authenticating: [3]) == [1, 2])
    }
}
