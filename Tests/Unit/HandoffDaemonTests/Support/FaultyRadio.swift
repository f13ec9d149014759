import Bluetooth
import HandoffRadio
import Synchronization

/// A radio on which some messages have faults.
final class FaultyRadio<Base: Radio>: Radio {
    /// The fault of the message.
    enum Fault: CaseIterable, Sendable {
        /// It is lost, and so is its channel.
        case lost
        /// It is lost, and the later messages are not.
        case dropped
        /// It arrives twice.
        case doubled
        /// It arrives late, and the messages after it later still.
        case late
    }

    /// Counts the messages of all radios that share it.
    final class Plan: Sendable {
        private let faults: [Int: Fault]
        private let count = Mutex(0)
        private let authentications = Mutex(0)

        init(_ fault: Fault, message: Int) {
            faults = [message: fault]
        }

        /// Loses these messages, and with each its channel.
        convenience init(losing messages: Int...) {
            self.init(losing: messages)
        }

        /// Loses these messages, and with each its channel; none of them for a radio without faults.
        init(losing messages: [Int]) {
            faults = Dictionary(uniqueKeysWithValues: messages.map { ($0, Fault.lost) })
        }

        /// The fault of the next message, if it has one.
        func next() -> Fault? {
            count.withLock { count in
                defer { count += 1 }
                return faults[count]
            }
        }

        /// How many channels were told that their peer has proved who it is.
        var authenticatedChannels: Int { authentications.withLock(\.self) }

        func recordAuthentication() { authentications.withLock { $0 += 1 } }

        /// Whether all the messages with faults were sent.
        var hasHappened: Bool { count.withLock { count in faults.keys.allSatisfy { $0 < count } } }
    }

    struct Channel: RadioChannel {
        let base: Base.Channel
        let plan: Plan

        var peer: RadioAddress { base.peer }
        var maximumMessageLength: Int { base.maximumMessageLength }

        func send(_ message: [UInt8]) async throws(RadioError) {
            switch plan.next() {
            case nil: try await base.send(message)
            case .lost: throw RadioError(.channelClosed, "lost")
            case .dropped: return
            case .doubled:
                try await base.send(message)
                try await base.send(message)
            case .late:
                // The fault itself, and nothing that a test waits for.
                try? await ContinuousClock().sleep(for: .milliseconds(700))
                try await base.send(message)
            }
        }

        func receive() async throws(RadioError) -> [UInt8]? { try await base.receive() }

        func recordAuthentication() { plan.recordAuthentication() }
    }

    private let base: Base
    private let plan: Plan

    init(_ base: Base, _ plan: Plan) {
        self.base = base
        self.plan = plan
    }

    func run() async throws {
        try await base.run()
    }

    func states() -> AsyncStream<RadioState> {
        base.states()
    }

    func withAdvertisement<Success: Sendable>(
        _ advertisement: Advertisement,
        _ body: () async throws -> Success
    ) async throws -> Success {
        try await base.withAdvertisement(advertisement, body)
    }

    func withScan<Success: Sendable>(
        for services: Set<BluetoothUUID>,
        _ body: (AsyncStream<AdvertisementReport>) async throws -> Success
    ) async throws -> Success {
        try await base.withScan(for: services, body)
    }

    func withListener<Success: Sendable>(
        limit: Int,
        serving serve: @escaping @Sendable (Channel) async -> Void,
        _ body: (LEPSM) async throws -> Success
    ) async throws -> Success {
        let plan = plan
        return try await base.withListener(
            limit: limit,
            serving: { await serve(Channel(base: $0, plan: plan)) },
            body
        )
    }

    func withChannel<Success: Sendable>(
        to address: RadioAddress,
        port: LEPSM,
        timeout: Duration,
        _ body: (Channel) async throws -> Success
    ) async throws -> Success {
        try await base.withChannel(to: address, port: port, timeout: timeout) { channel in
            try await body(Channel(base: channel, plan: plan))
        }
    }
}
