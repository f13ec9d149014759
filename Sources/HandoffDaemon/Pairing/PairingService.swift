import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import Logging
import ServiceLifecycle

/// A person who pairs this device with another, wherever they sit.
protocol PairingDelegate: Sendable {
    /// Who it is, for whoever wants to stop what was begun.
    var name: String { get }
    /// Which of several devices it is; nil for none.
    func choose(_ candidates: [PairingMachine.Candidate]) async -> PairingMachine.ChannelID?
    /// Whether the digits are the same on the other device; nil for no answer.
    func compare(_ digits: PairingDigits, with peer: PeerIdentity) async -> Bool?
    /// Says that the last question needs no answer any more.
    func withdrawQuestion(_ sentence: String)
    /// Says how it has ended.
    func didEnd(_ outcome: PairingMachine.Outcome)
    /// Returns when the person is gone.
    func waitUntilGone() async
}

/// Pairs this device with others when a person asks for it.
protocol PairingController: Sendable {
    /// Begins to look for a device that pairs.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` while somebody pairs this device already.
    func begin(_ delegate: any PairingDelegate) throws(HandoffError)
    /// Stops what the person of that name has begun.
    func stop(_ name: String)
}

/// Pairs over a radio: one request at a time.
struct PairingService<R: Radio>: Service, PairingController {
    let engine: Engine
    let radio: R
    let logger: Logger

    private let requests: AsyncStream<any PairingDelegate>
    private let newRequests: AsyncStream<any PairingDelegate>.Continuation
    /// Who pairs, if anybody does.
    private let current = CurrentValue<String?>(nil)
    /// Who has asked to stop last.
    private let stopped = CurrentValue<String?>(nil)

    /// How long it is tried to settle a pairing whose end nobody knows before the person is told so.
    private static var reconciliationLimit: Duration { .seconds(20) }
    /// How many channels others may open at once.
    private static var channelLimit: Int { PairingMachine.maximumChannels }

    init(engine: Engine, radio: R, logger: Logger) {
        self.engine = engine
        self.radio = radio
        self.logger = logger
        (requests, newRequests) = AsyncStream.makeStream()
    }

    func run() async throws {
        try await ignoringCancellation {
            try await cancelWhenGracefulShutdown {
                for await delegate in requests {
                    try await pair(delegate)
                    current.set(nil)
                }
            }
        }
    }

    func begin(_ delegate: any PairingDelegate) throws(HandoffError) {
        guard current.setOnce(delegate.name) else {
            throw HandoffError(.limitReached, "This device is being paired already: finish or stop that first.")
        }
        newRequests.yield(delegate)
    }

    func stop(_ name: String) {
        stopped.set(name)
    }

    private func pair(_ delegate: any PairingDelegate) async throws {
        logger.info("looking for a device to pair with")
        let conversation = PairingConversation(engine: engine, radio: radio, delegate: delegate, logger: logger)
        let outcome: PairingMachine.Outcome
        do {
            outcome = try await radio.withListener(
                limit: Self.channelLimit,
                serving: { await conversation.accept($0) },
                { port in try await conversation.run(at: port, stopped) }
            )
        } catch let error as RadioError {
            let way = error.code == .listeningRefused ? "; cards still work (`handoffctl devices card`)" : ""
            outcome = conversation.abandon(HandoffError(.radioUnavailable, error.message + way))
        }
        delegate.didEnd(try await reconciled(outcome))
    }

    /// The same outcome, or a better one when the other side can be asked within some seconds.
    private func reconciled(_ outcome: PairingMachine.Outcome) async throws -> PairingMachine.Outcome {
        guard case .unconfirmed(let peer, _) = outcome else {
            report(outcome)
            return outcome
        }
        let engine = engine
        let isReconciled = try await race {
            var version = engine.pairings.current
            while engine.isUnconfirmed(peer.id) { version = try await engine.pairings.changed(since: version) }
            return true
        } _: {
            try await Task.sleep(for: Self.reconciliationLimit)
            return false
        }
        let final = isReconciled ? engine.reconciledOutcome(peer) : outcome
        report(final)
        return final
    }

    private func report(_ outcome: PairingMachine.Outcome) {
        switch outcome {
        case .paired(let peer):
            logger.info("paired", metadata: ["device": "\(peer.id)", "name": "\(peer.name)"])
        case .unconfirmed(let peer, _):
            logger.notice("a pairing is unconfirmed", metadata: ["device": "\(peer.id)", "name": "\(peer.name)"])
        case .notPaired(let error): logger.info("nothing was paired: \(error.message)")
        }
    }
}

extension Engine {
    /// Whether nobody knows here how a pairing with a device has ended.
    fileprivate func isUnconfirmed(_ device: DeviceID) -> Bool {
        read { state in
            state.devices[device] == nil && state.pairing.records.unconfirmed.contains { $0.peer.id == device }
        }
    }

    /// How a pairing has ended that was settled.
    fileprivate func reconciledOutcome(_ peer: PeerIdentity) -> PairingMachine.Outcome {
        guard read({ $0.devices[peer.id] == nil }) else { return .paired(peer) }
        return .notPaired(
            HandoffError(.notPaired, "The pairing was not confirmed on \(peer.name), and so nothing was paired.")
        )
    }
}
