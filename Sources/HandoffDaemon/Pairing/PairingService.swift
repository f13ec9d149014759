import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import Logging

/// The user interface of one pairing request: it puts the questions to the user, and learns the outcome.
protocol PairingDelegate: Sendable {
    /// The name that identifies the request to a caller that wants to stop it.
    var name: String { get }
    /// Asks which of several devices to pair with; returns nil for none.
    func choose(_ candidates: [PairingMachine.Candidate]) async -> PairingMachine.ChannelID?
    /// Asks whether the digits are the same on the other device; returns nil when there is no answer.
    func compare(_ digits: PairingDigits, with peer: DeviceIdentity) async -> Bool?
    /// Reports that the last question needs no answer any more.
    func withdrawQuestion(_ sentence: String)
    /// Reports the outcome.
    func didEnd(_ outcome: PairingMachine.Outcome)
    /// Returns when the user interface has gone away.
    func waitUntilGone() async
}

/// Pairs this device with others at the user's request.
protocol PairingController: Sendable {
    /// Starts looking for a device to pair with, as soon as an earlier request has ended whose outcome is known already.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` while another pairing request is active.
    func begin(_ delegate: any PairingDelegate) throws(HandoffError)
    /// Stops the request with that name.
    func stop(_ name: String)
}

/// Pairs over a radio, one request at a time.
struct PairingService<R: Radio>: Service, PairingController {
    let engine: Engine
    let radio: R
    let logger: Logger
    /// How long the daemon tries to reconcile an unconfirmed pairing before it reports it to the user as unconfirmed.
    private let reconciliationLimit: Duration

    /// The requests that were begun and have not ended.
    private struct Requests: Sendable {
        /// Whether the active one has an outcome, and only its last messages are sent.
        var isEnding = false
        /// Whether another one waits for its end.
        var hasNext = false
    }

    private let requests: AsyncStream<any PairingDelegate>
    private let newRequests: AsyncStream<any PairingDelegate>.Continuation
    /// The requests that were begun and have not ended; nil if there are none.
    private let current = CurrentValue<Requests?>(nil)
    /// The name of the request that was stopped last.
    private let stopped = CurrentValue<String?>(nil)

    /// The maximum number of simultaneous channels that peers may open.
    private static var channelLimit: Int { PairingMachine.maximumChannels }

    init(engine: Engine, radio: R, logger: Logger, reconciliationLimit: Duration = .seconds(20)) {
        self.engine = engine
        self.radio = radio
        self.logger = logger
        self.reconciliationLimit = reconciliationLimit
        (requests, newRequests) = AsyncStream.makeStream()
    }

    func run() async throws {
        for await delegate in requests {
            let outcome = try await pair(delegate)
            // Before the user learns of the outcome, and may begin again.
            current.modify { $0 = $0?.hasNext == true ? Requests() : nil }
            delegate.didEnd(outcome)
        }
    }

    func begin(_ delegate: any PairingDelegate) throws(HandoffError) {
        let isFirst = current.setOnce(Requests())
        // A request whose user has an outcome, or has gone away, only ends on the air.
        let isNext =
            !isFirst
            && current.set(Requests(isEnding: true, hasNext: true)) { $0.map { $0.isEnding && !$0.hasNext } ?? false }
        guard isFirst || isNext else {
            throw HandoffError(.limitReached, "This device is already pairing: finish or stop that pairing first.")
        }
        // What was stopped before is another request of the same client.
        stopped.set(nil) { $0 == delegate.name }
        newRequests.yield(delegate)
    }

    func stop(_ name: String) {
        stopped.set(name)
    }

    private func pair(_ delegate: any PairingDelegate) async throws -> PairingMachine.Outcome {
        logger.info("looking for a device to pair with", metadata: ["event": "pairing.began"])
        let conversation = PairingConversation(engine: engine, radio: radio, delegate: delegate, logger: logger) {
            current.modify { $0?.isEnding = true }
        }
        let outcome: PairingMachine.Outcome
        do {
            outcome = try await radio.withListener(
                limit: Self.channelLimit,
                serving: { await conversation.accept($0) },
                { port in try await conversation.run(at: port, stopped) }
            )
        } catch let error as RadioError {
            let way = error.code == .listeningRefused ? "; cards still work (`handoffctl devices card`)" : ""
            outcome = await conversation.abandon(HandoffError(error, advice: way))
        }
        return try await reconciled(outcome)
    }

    /// Returns the same outcome, or a definite one if the peer can be asked within some seconds.
    private func reconciled(_ outcome: PairingMachine.Outcome) async throws -> PairingMachine.Outcome {
        guard case .unconfirmed(let peer, _) = outcome else {
            report(outcome)
            return outcome
        }
        let engine = engine
        let isReconciled = try await race {
            var version = engine.pairingUpdates.current
            while engine.pairings.isUnconfirmed(peer.id) {
                version = try await engine.pairingUpdates.changed(since: version)
            }
            return true
        } _: {
            try await race {
                try await sleep(for: reconciliationLimit)
            } _: {
                var requests = current.current
                while requests.value?.hasNext != true { requests = try await current.changed(since: requests) }
            }
            return false
        }
        let final = isReconciled ? engine.pairings.reconciledOutcome(peer) : outcome
        report(final)
        return final
    }

    private func report(_ outcome: PairingMachine.Outcome) {
        switch outcome {
        case .paired(let peer):
            logger.info(
                "paired",
                metadata: ["event": "pairing.completed", "device": "\(peer.id)", "name": "\(peer.name)"]
            )
        case .unconfirmed(let peer, _):
            logger.notice(
                "a pairing is unconfirmed",
                metadata: ["event": "pairing.unconfirmed", "device": "\(peer.id)", "name": "\(peer.name)"]
            )
        case .notPaired(let error):
            logger.info("not paired: \(error.message)", metadata: ["event": "pairing.ended"])
        }
    }
}

extension EnginePairings {
    /// Whether the outcome of pairing with the device is unknown.
    fileprivate func isUnconfirmed(_ device: DeviceID) -> Bool {
        engine.read { state in
            state.trust.devices[device] == nil && state.pairing.records.unconfirmed.contains { $0.peer.id == device }
        }
    }

    /// The outcome of a pairing that was reconciled.
    fileprivate func reconciledOutcome(_ peer: DeviceIdentity) -> PairingMachine.Outcome {
        guard engine.read({ $0.trust.devices[peer.id] == nil }) else { return .paired(peer) }
        return .notPaired(
            HandoffError(.notPaired, "The pairing was not confirmed on \(peer.name), and so nothing was paired.")
        )
    }
}
