import Bluetooth
import HandoffRadio
import TestRuns

extension RadioWorld {
    /// Runs both radios, and `body` once both are ready; both radios have ended when it returns or throws.
    func withRunningRadios(_ body: (TestedRadio, TestedRadio) async throws -> Void) async throws {
        try await withRadios { first, second in
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await first.run() }
                group.addTask { try await second.run() }
                do {
                    try await first.becomesReady()
                    try await second.becomesReady()
                } catch {
                    // The error of run() says more than the end of the states.
                    while let end = await group.nextResult() { try end.get() }
                    throw error
                }
                try await body(first, second)
            }
        }
    }

    /// Runs both radios, of which the second listens and is found by the first, and passes its address and port to `body`.
    func withConnectableRadios(
        limit: Int = 8,
        serving serve: @escaping @Sendable (TestedRadio.Channel) async -> Void,
        _ body: (TestedRadio, RadioAddress, LEPSM) async throws -> Void
    ) async throws {
        try await withRunningRadios { first, second in
            try await second.withListener(limit: limit, serving: serve) { port in
                let advertisement = Advertisement.fresh()
                try await second.withAdvertisement(advertisement) {
                    try await body(first, try await first.address(of: advertisement), port)
                }
            }
        }
    }
}

extension Radio {
    /// Waits until the radio is ready.
    func becomesReady() async throws {
        try await becomes("ready") { state in
            if case .ready = state { true } else { false }
        }
    }

    /// Waits until the radio is unavailable with that error code.
    func becomesUnavailable(_ code: RadioError.Code) async throws {
        try await becomes("unavailable: \(code)") { state in
            if case .unavailable(let error) = state { error.code == code } else { false }
        }
    }

    /// Scans until `advertisement` is received, and returns its sender's address.
    func address(of advertisement: Advertisement) async throws -> RadioAddress {
        try await withScan(for: [advertisement.service]) { reports in
            try await reports.first(of: advertisement).address
        }
    }

    private func becomes(_ what: String, _ isIt: (RadioState) -> Bool) async throws {
        let hasBecome = await awaiting("the radio to be \(what)") {
            for await state in states() where isIt(state) { return true }
            return false
        }
        if hasBecome { return }
        throw RequirementFailure("the radio ended, or the wait was cancelled, before it was \(what)")
    }
}

extension AsyncStream<AdvertisementReport> {
    /// The first report of exactly that advertisement.
    func first(of advertisement: Advertisement) async throws -> AdvertisementReport {
        let first = await awaiting("a report of the advertisement \(advertisement.data)") {
            () -> AdvertisementReport? in
            for await report in self
            where report.service == advertisement.service && report.data == advertisement.data {
                return report
            }
            return nil
        }
        if let first { return first }
        throw RequirementFailure("the scan ended before \(advertisement.data) was received")
    }
}

extension Advertisement {
    /// A new random advertisement, which no radio can have cached.
    static func fresh(_ pace: Pace = .fast) -> Advertisement {
        let data = (0..<maximumDataLength).map { _ in UInt8.random(in: .min ... .max) }
        return Advertisement(service: .fresh(), data: data, pace: pace)
    }

    /// An advertisement of the same service with other data.
    func changed(to data: [UInt8]) -> Advertisement {
        Advertisement(service: service, data: data, pace: pace)
    }
}

extension BluetoothUUID {
    /// A new random service.
    static func fresh() -> BluetoothUUID {
        BluetoothUUID(number: .random(in: .min ... .max))
    }
}

/// A channel that sends values from one task to another.
struct Signal<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func send(_ value: Value) {
        continuation.yield(value)
    }

    /// The next value, whether it has been sent already or is sent later.
    func value(at place: String = #fileID, line: Int = #line) async throws -> Value {
        let value = await awaiting("a message from another task", at: place, line: line) { () -> Value? in
            for await value in stream { return value }
            return nil
        }
        guard let value else { throw RequirementFailure("no value was sent before the wait was cancelled") }
        return value
    }
}

extension Signal where Value == Void {
    func send() { send(()) }
}

/// Starts `body` in a task, cancels the task once `body` has sent `isUnderWay`, and waits for its end.
func cancelling(_ body: @escaping @Sendable (_ isUnderWay: Signal<Void>) async throws -> Void) async throws {
    let isUnderWay = Signal<Void>()
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try? await body(isUnderWay) }
        try await isUnderWay.value()
        group.cancelAll()
        try await group.waitForAll()
    }
}

/// Waits until the task is cancelled, and throws `CancellationError`.
func untilCancelled() async throws {
    let never = AsyncStream<Never> { _ in }
    for await _ in never {}
    throw CancellationError()
}
