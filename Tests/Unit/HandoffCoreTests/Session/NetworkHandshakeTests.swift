import HandoffCore
import HandoffCrypto
import TestLimits
import Testing

@Suite("The handshake of a connection over the local network", .endsWithin(minutes: 10))
struct NetworkHandshakeTests {
    private let secret = NetworkPair().secret

    @Test("Both ends get the same connection, and read what the other one sends", arguments: NoiseCipher.allCases)
    func success(cipher: NoiseCipher) throws {
        let secret = NetworkPair(cipher).secret
        for opener in NetworkSecret.Opener.allCases {
            let opening = NetworkOpening(secret, by: opener)
            #expect(opening.opening.count == NetworkAcceptance.openingBytes)
            let acceptance = try NetworkAcceptance(secret, opening: opening.opening, by: opener)
            #expect(acceptance.answer.count == NetworkOpening.answerBytes)
            let (here, confirmation) = try opening.finish(acceptance.answer)
            #expect(confirmation.count == NetworkAcceptance.confirmationBytes)
            let there = try acceptance.finish(confirmation)
            #expect(here.id == there.id)
            var (sender, receiver) = (here.sending, there.receiving)
            #expect(try receiver.decrypt(try sender.encrypt([7])) == [7])
            (sender, receiver) = (there.sending, here.receiving)
            #expect(try receiver.decrypt(try sender.encrypt([8])) == [8])
        }
    }

    @Test("A stranger gets no byte: without the secret, with that of another stream, and for the other side's role")
    func strangers() throws {
        let right = NetworkOpening(secret, by: .caller).opening
        var changed = right
        changed[20] ^= 1
        let forgeries = [
            [], [UInt8](repeating: 0, count: 48), Array(right.dropLast()), changed,
            NetworkOpening(Self.other(session: 4), by: .caller).opening,
            NetworkOpening(Self.other(caller: 9), by: .caller).opening,
            NetworkOpening(Self.other(listener: 9), by: .caller).opening,
            NetworkOpening(secret, by: .listener).opening,
        ]
        for forgery in forgeries {
            #expect(throws: HandoffError.self) {
                _ = try NetworkAcceptance(secret, opening: forgery, by: .caller)
            }
        }
    }

    @Test("Two ends that disagree about the cipher have no connection")
    func ciphers() throws {
        let opening = NetworkOpening(secret, by: .caller)
        let acceptance = try NetworkAcceptance(NetworkPair(.aesGCM).secret, opening: opening.opening, by: .caller)
        #expect(throws: HandoffError.self) { _ = try opening.finish(acceptance.answer) }
    }

    @Test("What was recorded of one connection proves nothing in another one, in the same offer")
    func replays() throws {
        let opening = NetworkOpening(secret, by: .caller)
        let first = try NetworkAcceptance(secret, opening: opening.opening, by: .caller)
        let (_, confirmation) = try opening.finish(first.answer)
        let again = try NetworkAcceptance(secret, opening: opening.opening, by: .caller)
        #expect(again.answer != first.answer)
        #expect(throws: HandoffError.self) { _ = try again.finish(confirmation) }
        let other = NetworkOpening(secret, by: .caller)
        #expect(throws: HandoffError.self) { _ = try other.finish(first.answer) }
    }

    @Test("A changed or shortened answer or confirmation ends the connection")
    func damage() throws {
        let opening = NetworkOpening(secret, by: .listener)
        let acceptance = try NetworkAcceptance(secret, opening: opening.opening, by: .listener)
        let (_, confirmation) = try opening.finish(acceptance.answer)
        for index in acceptance.answer.indices {
            var changed = acceptance.answer
            changed[index] ^= 1
            #expect(throws: HandoffError.self) { _ = try opening.finish(changed) }
        }
        for wrong in [[], Array(acceptance.answer.dropLast())] {
            #expect(throws: HandoffError.self) { _ = try opening.finish(wrong) }
        }
        for wrong in [[], confirmation.map { $0 ^ 1 }, Array(acceptance.answer.suffix(16))] {
            #expect(throws: HandoffError.self) { _ = try acceptance.finish(wrong) }
        }
    }

    private static func other(caller: UInt8 = 1, listener: UInt8 = 2, session: UInt8 = 3) -> NetworkSecret {
        func bytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
        return NetworkSecret(
            caller: bytes(caller),
            listener: bytes(listener),
            handshakeHash: bytes(session),
            cipher: .chaChaPoly
        )
    }
}
