import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite(
    "The session that reconciles a pairing ends with the listener's word that it has saved the outcome",
    .endsWithin(minutes: 10)
)
struct SessionReconciliationTests {
    private static let key = AdvertisingKeyRecord.generate(day: 20000).rawRepresentation
    private static let notPaired = Answer.refusal(Refusal(.notPaired, "The pairing was not confirmed here."))

    /// Both sides of a session in which the caller has the answer.
    private static func answered(_ answer: Answer) throws -> (call: ClientSession, serve: ServerSession) {
        let (asking, answering) = (DeviceKeys.generate(), DeviceKeys.generate())
        let request = Request.settle(SettleRequest(pairing: [UInt8](repeating: 1, count: 8), isConfirmed: true))
        var call = ClientSession(keys: asking, peer: answering.publicKeys, request: request)
        var serve = try SessionPair.server(answering, trusting: [asking])
        guard try serve.receiveRequest(try call.opened(by: serve))?.request == request,
            try call.receive(try serve.answer(answer))?.answer == answer
        else { throw SessionPair.Unfinished() }
        return (call, serve)
    }

    @Test("An outcome is acknowledged by both sides", arguments: [Answer.settled(advertisingKey: key), notPaired])
    func outcome(_ answer: Answer) throws {
        var (call, serve) = try Self.answered(answer)
        #expect(try serve.acknowledge(try call.acknowledge()))
        let conclusion = try serve.conclude(Acknowledgement())
        for piece in conclusion.dropLast().map({ [$0] }) { #expect(try call.receiveConclusion(piece) == nil) }
        #expect(try call.receiveConclusion([conclusion[conclusion.count - 1]]) == Acknowledgement())
    }

    @Test("A caller that is paired tells its key with its acknowledgement, which only the listener can read")
    func toldKey() throws {
        var (call, serve) = try Self.answered(.settled(advertisingKey: Self.key))
        let acknowledgement = Acknowledgement(advertisingKey: [UInt8](repeating: 7, count: 44))
        #expect(try serve.receiveAcknowledgement(try call.acknowledge(acknowledgement)) == acknowledgement)
    }

    @Test("After any other answer, the listener has nothing to say", arguments: [Refusal.Code.busy, .notUnderstood])
    func noOutcome(_ code: Refusal.Code) throws {
        var (call, serve) = try Self.answered(.refusal(Refusal(code, "Later.")))
        #expect(try serve.acknowledge(try call.acknowledge()))
        let bytes = try SessionPair().serve.greeting
        #expect { try call.receiveConclusion(bytes) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
        #expect { try serve.acknowledge(bytes) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }

    @Test("A damaged conclusion proves nothing")
    func damaged() throws {
        var (call, serve) = try Self.answered(.settled(advertisingKey: Self.key))
        #expect(try serve.acknowledge(try call.acknowledge()))
        let conclusion = try serve.conclude(Acknowledgement())
        for index in conclusion.indices {
            var (damaged, call) = (conclusion, call)
            damaged[index] ^= 1
            let accepted = try? call.receiveConclusion(damaged)
            #expect(accepted == nil, "byte \(index)")
        }
    }
}
