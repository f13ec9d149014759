import AsyncSupport
import TestLimits
import Testing

@Suite("Services run beside each other, and stop one after the other", .endsWithin(minutes: 5))
struct ServicesTests {
    private let log = EventLog<String>()

    @Test("When one ends, the others stop in reverse order, each after the last one has ended")
    func order() async throws {
        let first = LoggedService(name: "first", log)
        let second = LoggedService(name: "second", log)
        try await runServices([first, EndingService(after: [first, second]), second])
        #expect(
            log.events == [
                "second prepares", "second is cancelled", "first prepares", "first is cancelled",
            ]
        )
    }

    @Test("A service that fails cancels the others at once, and its error is thrown")
    func failure() async {
        let other = LoggedService(name: "other", log)
        await #expect(throws: Failure(name: "failing")) {
            try await runServices([other, FailingService(after: [other])])
        }
        #expect(log.events == ["other is cancelled"])
    }

    @Test("A service that ends by itself and does not end the program is an error")
    func unexpectedEnd() async {
        struct Short: Service {
            func run() async throws {}
        }
        let other = LoggedService(name: "other", log)
        let error = await #expect(throws: UnexpectedEnd.self) { try await runServices([other, Short()]) }
        #expect(error?.description == "Short has ended by itself.")
    }

    @Test("A service is stopped while those before it still run, which may do something for it")
    func dependency() async throws {
        let below = LoggedService(name: "below", log)
        let above = LoggedService(name: "above", log, uses: below)
        try await runServices([EndingService(after: [below, above]), below, above])
        #expect(
            log.events == [
                "above prepares", "below runs", "above is cancelled", "below prepares", "below is cancelled",
            ]
        )
    }

    @Test("When the caller is cancelled, all are cancelled and awaited")
    func cancellation() async throws {
        let service = LoggedService(name: "service", log)
        try await withBackgroundTasks([{ try await runServices([service]) }]) {
            try await service.hasBegun.value()
        }
        #expect(log.events == ["service is cancelled"])
    }
}

/// A service that runs until it is cancelled, and logs its end.
private final class LoggedService: Service {
    let name: String
    let hasBegun = Promise<Void>()
    private let log: EventLog<String>
    private let other: LoggedService?

    init(name: String, _ log: EventLog<String>, uses other: LoggedService? = nil) {
        (self.name, self.log, self.other) = (name, log, other)
    }

    func run() async throws {
        hasBegun.fulfil(())
        defer { log.append("\(name) is cancelled") }
        try await untilCancelled()
    }

    func prepareToStop() async {
        log.append("\(name) prepares")
        guard let other else { return }
        log.append(other.hasBegun.valueIfSet == nil ? "\(other.name) has not begun" : "\(other.name) runs")
    }
}

/// A service that ends by itself once others have begun.
private struct EndingService: Service {
    static let endsProgram = true

    let others: [LoggedService]

    init(after others: [LoggedService]) { self.others = others }

    func run() async throws {
        for other in others { try await other.hasBegun.value() }
    }
}

/// A service that fails once others have begun.
private struct FailingService: Service {
    let others: [LoggedService]

    init(after others: [LoggedService]) { self.others = others }

    func run() async throws {
        for other in others { try await other.hasBegun.value() }
        throw Failure(name: "failing")
    }
}
