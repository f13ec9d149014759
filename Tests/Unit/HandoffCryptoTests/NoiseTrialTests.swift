import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Identification of the caller", .endsWithin(minutes: 10))
struct NoiseTrialTests {
    let listener = AgreementKey.generate()
    let devices = (0..<6).map { _ in AgreementKey.generate() }

    private func trial() throws -> NoiseResponderTrial<Int> {
        try NoiseResponderTrial(
            localStatic: listener,
            candidates: devices.enumerated().map { ($0.offset, $0.element.publicKey) }
        )
    }

    @Test("The caller is found among many devices, and the session continues", arguments: 0..<6)
    func found(caller: Int) throws {
        var initiator = NoiseHandshake.initiator(
            localStatic: devices[caller],
            remoteStatic: listener.publicKey,
            prologue: []
        )
        var match = try trial().match(initiator.writeMessage([1, 2, 3]), prologue: [])
        #expect(match.id == caller)
        #expect(match.payload == [1, 2, 3])
        #expect(try initiator.readMessage(match.handshake.writeMessage([4])) == [4])
        var (near, far) = (try initiator.split(), try match.handshake.split())
        #expect(near.handshakeHash == far.handshakeHash)
        #expect(try far.decrypt(near.encrypt([5])) == [5])
        #expect(try near.decrypt(far.encrypt([6])) == [6])
    }

    @Test("An unknown device, a damaged message and an empty list of candidates are refused")
    func stranger() throws {
        var unknown = NoiseHandshake.initiator(
            localStatic: .generate(),
            remoteStatic: listener.publicKey,
            prologue: []
        )
        let message = try unknown.writeMessage([])
        let empty = try NoiseResponderTrial<Int>(localStatic: listener, candidates: [])
        let errors = [
            #expect(throws: CryptoError.self) { try trial().match(message, prologue: []) },
            #expect(throws: CryptoError.self) { try empty.match(message, prologue: []) },
        ]
        #expect(errors.map { $0?.code } == [.authenticationFailed, .authenticationFailed])
        for truncated in Damage.truncations(of: message) {
            let error = #expect(throws: CryptoError.self) { try trial().match(truncated, prologue: []) }
            #expect(error?.code == .malformed)
        }
    }
}

extension NoiseResponderTrial {
    /// Returns the sender of a message in a handshake whose prologue is the same for all devices.
    func match(_ message: [UInt8], prologue: [UInt8]) throws(CryptoError) -> Match {
        try match(message) { _ in prologue }
    }
}
