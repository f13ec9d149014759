import HandoffCore
import HandoffWire
import TestLimits
import Testing

@Suite("The end of a continuation is the outcome of its take", .endsWithin(minutes: 10))
struct TakeOutcomeTests {
    @Test(
        "What goes on with the activity is named, and an error becomes a reason without its text",
        arguments: [
            (.success(.app("org.example.Editor")), .continued(.app)),
            (.success(.browser), .continued(.browser)),
            (.success(.document("reader")), .continued(.document)),
            (.failure(HandoffError(.appFailed, "/home/anna/bin/editor could not be started.")), .failed(.appFailed)),
            (.failure(HandoffError(.notContinuable, "")), .failed(.notContinuable)),
            (.failure(HandoffError(.documentIsProgram, "")), .failed(.notContinuable)),
            (.failure(HandoffError(.userCancelled, "")), .failed(.cancelled)),
            (.failure(HandoffError(.documentMissing, "")), .failed(.documentMissing)),
            (.failure(HandoffError(.limitReached, "")), .failed(.failed)),
        ] as [(Result<Continuation.Outcome, HandoffError>, TakeOutcome)]
    )
    func outcome(_ result: Result<Continuation.Outcome, HandoffError>, _ outcome: TakeOutcome) {
        #expect(TakeOutcome(result) == outcome)
    }

    @Test("A continuation that its caller does not want fails before the activity has arrived, and goes on afterwards")
    func abandoned() throws {
        let abandonment = Continuation.Event.failed(HandoffError(.userCancelled, "The program has cancelled it."))
        var fetching = Continuation(announcedTo: "editor")
        _ = fetching.handle(.announced(.delivered))
        #expect(!fetching.isHandingOver)
        let actions = fetching.handle(abandonment)
        guard actions.count == 2, case .reportFailure(let told) = actions[0], case .finish(.failure(told)) = actions[1]
        else {
            Issue.record("unexpected: \(actions)")
            return
        }
        #expect(told.code == .userCancelled)

        var receiving = Continuation(announcedTo: "editor")
        _ = receiving.handle(.announced(.delivered))
        _ = receiving.handle(.fetched(try .sample(), for: ["editor"]))
        #expect(receiving.isHandingOver)
        #expect(receiving.handle(abandonment).isEmpty)
        #expect(receiving.handle(.handedOver(.accepted)) == [.finish(.success(.app("editor")))])
        #expect(!receiving.isHandingOver)
    }
}
