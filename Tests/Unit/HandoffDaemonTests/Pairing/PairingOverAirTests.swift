import AsyncSupport
import Epoll
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffRadioSimulated
import Logging
import Synchronization
import SystemPackage
import TestLimits
import TestRuns
import Testing

@testable import HandoffDaemon

@Suite("Two daemons that pair over the simulated air", .endsWithin(minutes: 10, places: 3))
struct PairingOverAirTests {
    typealias AirRadio = FaultyRadio<SimulatedRadio>

    /// The number of messages that no pairing without a fault exceeds, together with its reconciliation.
    private static let messages = 14
    /// From the commitment to both confirmations, and the introduction on a second channel, which may come before: here
    /// one side can have confirmed before the other one's channel is lost, and then nothing is paired.
    private static let decisive = 5...10
    /// The time after which the search ends, which is longer than any wait that a pairing may need.
    private static let limit = PairingMachine.searchLimit

    @Test(
        "Both sides end alike when any message is lost, left out, doubled or late",
        arguments: AirRadio.Fault.allCases,
        0..<Self.messages
    )
    func faults(_ fault: AirRadio.Fault, _ message: Int) async throws {
        let plan = AirRadio.Plan(fault, message: message)
        let began = ContinuousClock.now
        let (laptop, desktop) = try await PairingWorld.pair(plan)
        #expect(plan.hasHappened || message > 9)
        #expect(laptop.word == desktop.word, "\(laptop.sentence) \(desktop.sentence)")
        #expect(laptop.trusts == desktop.trusts)
        #expect(laptop.trusts == (laptop.word == "paired"))
        // Both users confirm wherever they are asked.
        #expect(laptop.trusts || Self.decisive.contains(message), "\(laptop.sentence) \(desktop.sentence)")
        #expect(began.duration(to: .now) < Self.limit)
    }

    @Test("The channel of a pairing that is completed counts as authenticated at each end that has it open still")
    func authentication() async throws {
        let plan = AirRadio.Plan(losing: [])
        _ = try await PairingWorld.pair(plan)
        // No session follows a pairing without a fault. The end that closes it has counted it before; at the other one it may
        // be closed first.
        #expect((1...2).contains(plan.authenticatedChannels))
    }
}

@Suite(
    "Two daemons that lose a confirmation, and then a message of the reconciliation",
    .endsWithin(minutes: 10, places: 3)
)
struct LostReconciliationTests {
    /// Pairs of messages that are lost: one of the last two of the comparison, and one of those that follow.
    private static let messages = (8...9).flatMap { first in (first + 1...first + 8).map { (first, $0) } }

    @Test("Both trust each other or neither does, whichever two messages are lost", arguments: messages)
    func twoLosses(_ first: Int, _ second: Int) async throws {
        let (laptop, desktop) = try await PairingWorld.pair(PairingOverAirTests.AirRadio.Plan(losing: first, second))
        #expect(laptop.trusts == desktop.trusts)
        #expect(laptop.word == desktop.word, "\(laptop.sentence) \(desktop.sentence)")
    }
}

/// Two devices on one air whose users confirm.
enum PairingWorld {
    /// The outcome for one device.
    struct End: Sendable {
        /// The outcome that was reported to its user, in one word.
        let word: String
        /// The sentence for the user; empty when the devices are paired.
        let sentence: String
        /// Whether it trusts the other one in the end.
        let trusts: Bool
    }

    /// Pairs two devices, and waits until nothing is unconfirmed any more.
    static func pair(_ plan: PairingOverAirTests.AirRadio.Plan) async throws -> (End, End) {
        try await withTemporaryDirectory(inMemory: true) { air in
            try await withDevice("laptop", air.string, plan) { laptop in
                try await withDevice("desktop", air.string, plan) { desktop in
                    let (one, other) = (ConfirmingUser("one"), ConfirmingUser("other"))
                    try laptop.pairing.begin(one)
                    try desktop.pairing.begin(other)
                    let words = (try await one.end(), try await other.end())
                    for device in [laptop, desktop] { try await device.waitUntilReconciled() }
                    return (
                        End(word: words.0.word, sentence: words.0.sentence, trusts: laptop.trustsAnyDevice),
                        End(word: words.1.word, sentence: words.1.sentence, trusts: desktop.trustsAnyDevice)
                    )
                }
            }
        }
    }

    private static func withDevice<Success: Sendable>(
        _ name: String,
        _ air: String,
        _ plan: PairingOverAirTests.AirRadio.Plan,
        _ body: @escaping @Sendable (PairingDevice) async throws -> Success
    ) async throws -> Success {
        try await withTemporaryDirectory(inMemory: true) { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                try await Reactor.withReactor { reactor in
                    let radio = FaultyRadio(SimulatedRadio(directory: air, name: name), plan)
                    let device = try await PairingDevice(name, directory, radio)
                    return try await device.run(on: reactor) { try await body(device) }
                }
            }
        }
    }
}

/// The parts of a daemon that pairing needs.
struct PairingDevice: Sendable {
    let name: String
    let engine: Engine
    let radio: PairingOverAirTests.AirRadio
    let pairing: PairingService<PairingOverAirTests.AirRadio>
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init(_ name: String, _ directory: StateDirectory, _ radio: PairingOverAirTests.AirRadio) async throws {
        self.name = name
        engine = try await Engine(
            identity: Identity.loaded(from: directory),
            name: DeviceName(name),
            in: directory,
            logger: logger
        )
        try await engine.pairings.recover()
        self.radio = radio
        // A slow machine must not make a pairing unconfirmed that is reconciled.
        pairing = PairingService(engine: engine, radio: radio, logger: logger, reconciliationLimit: .seconds(3600))
    }

    var trustsAnyDevice: Bool { engine.read { !$0.trust.devices.isEmpty } }

    /// Waits until no pairing is unconfirmed.
    func waitUntilReconciled() async throws {
        var version = engine.pairingUpdates.current
        try await awaiting("\(name) to reconcile its pairings") {
            while engine.read({ state in
                state.pairing.records.unconfirmed.contains { state.trust.devices[$0.peer.id] == nil }
            }) {
                version = try await engine.pairingUpdates.changed(since: version)
            }
        }
    }

    /// Runs `body` while the services run, from when the radio is ready.
    func run<Success: Sendable>(
        on reactor: Reactor,
        _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        let client = SessionClient(engine: engine, radio: radio)
        let services: [any Service] = [
            RadioService(engine: engine, radio: radio, logger: logger),
            AlarmService(engine: engine, reactor: reactor),
            ListeningService(
                engine: engine,
                radio: radio,
                apps: AppStreams(on: reactor),
                reactor: reactor,
                logger: logger
            ),
            ScanningService(engine: engine, radio: radio, logger: logger),
            AdvertisingService(engine: engine, radio: radio, logger: logger),
            pairing,
            client,
            PairingReconciliationService(client: client, logger: logger),
        ]
        return try await withServices(services.map { service in { try await service.run() } }) {
            try await ready()
            return try await body()
        }
    }

    private func ready() async throws {
        var plan = engine.scanning.current
        try await awaiting("the radio of \(name)") {
            while engine.read({ !$0.radio.isReady }) { plan = try await engine.scanning.changed(since: plan) }
        }
    }
}

/// A user who confirms.
final class ConfirmingUser: PairingDelegate {
    let name: String
    private let outcome = Promise<(word: String, sentence: String)>()

    init(_ name: String) {
        self.name = name
    }

    /// The reported outcome, in one word and in a sentence.
    func end() async throws -> (word: String, sentence: String) {
        try await awaiting("the end of the pairing for \(name)") {
            try await outcome.value()
        }
    }

    func choose(_ candidates: [PairingMachine.Candidate]) async -> PairingMachine.ChannelID? {
        candidates.first?.channel
    }
    func compare(_ digits: PairingDigits, with peer: DeviceIdentity) async -> Bool? { true }
    func withdrawQuestion(_ sentence: String) {}
    func waitUntilGone() async { try? await untilCancelled() }

    func didEnd(_ outcome: PairingMachine.Outcome) {
        switch outcome {
        case .paired: self.outcome.fulfil(("paired", ""))
        case .unconfirmed(_, let error): self.outcome.fulfil(("unconfirmed", error.message))
        case .notPaired(let error): self.outcome.fulfil(("notPaired", error.message))
        }
    }
}
