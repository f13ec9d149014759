import AsyncSupport
package import Bluetooth
import HandoffCore
import HandoffCrypto
package import HandoffModel
package import Logging
import Synchronization

/// The daemon's state, and the only place where it changes.
///
/// Every event on the bus, from the radio or by the clock is a call of one of the engine's facets (the files of `Facets`,
/// such as `engine.nearby`). Under one mutex it changes the state, which
/// is a value; the results are published as plans, which the services carry out, and as effects, which the bus shows.
/// Nothing blocks under the mutex, and no file is written under it: see `persist(_:then:)`.
package final class Engine: Sendable {
    /// The service UUID for advertisements of this version of the protocol (Docs/Protocol.md).
    package static let service = ProtocolVersion.current.serviceUUID
    /// The service UUID for advertisements of pairing devices.
    package static let pairingService = ProtocolVersion.current.pairingServiceUUID

    let logger: Logger
    /// For what trusted devices do.
    let peerLog: PeerLog
    let advertising = CurrentValue(AdvertisingPlan(advertisement: nil, radioGeneration: 0))
    let scanning = CurrentValue(ScanningPlan(effort: .none, radioGeneration: 0))
    let documents = CurrentValue(DocumentPlan())
    let deadline = CurrentValue<Duration?>(nil)
    /// Changes whenever the radio has become usable.
    let radioGeneration = CurrentValue<UInt64>(0)
    /// Changes whenever fetches no longer have to wait for an app.
    let saveCompletions = CurrentValue<UInt64>(0)
    /// Changes whenever an activity type was learnt.
    let learntTypes = CurrentValue<UInt64>(0)
    /// The day whose keys are to be kept (`DailyKey.keptDay`).
    let keptDay = CurrentValue<UInt32>(0)
    /// What the person allows.
    let currentRules = CurrentValue(Rules())
    let siteWork = CurrentValue(SiteWork(version: 0, isDue: false))
    /// Changes whenever a device was removed.
    let removals = CurrentValue<Void>(())
    /// Changes whenever the outcome of a take has become known, or an attempt to report it has ended.
    let takeChanges = CurrentValue<Void>(())
    /// Changes whenever a trusted device was heard, or something new has to be sent to one.
    let deviceUpdates = CurrentValue<Void>(())
    /// Changes whenever the state of a pairing has changed.
    let pairingUpdates = CurrentValue<Void>(())
    /// Learns of pairing devices while the user's pairing request is active.
    let pairingListener = CurrentValue<PairingListener?>(nil)

    private let directory: StateDirectory
    private let state: Mutex<State>
    /// Held while kept state is changed, from reading it to showing the change; the state is not locked meanwhile.
    private let keptStateChange = AsyncMutex()
    private let observer = Mutex<(any EngineObserver)?>(nil)

    /// Creates an engine with what is kept in `directory`, and keeps its changes there.
    ///
    /// - Throws: `HandoffError` when a file cannot be read or is damaged; it is not changed. `CryptoError` when the
    ///   name does not fit a card.
    package init(
        identity: Identity,
        name: DeviceName,
        in directory: StateDirectory,
        logger: Logger
    ) throws {
        let now = Moment.now
        let devices = try TrustedDevices(from: directory, for: identity, named: name, at: now.slot)
        let trust = try TrustState(devices, at: now)
        _ = try trust.card
        let records = try PairingsFile.read(from: directory)
        let pairing = try PairingState(records, for: identity, at: now)
        self.logger = logger
        peerLog = PeerLog(logger)
        self.directory = directory
        state = Mutex(State(trust: trust, pairing: pairing, at: now))
        change { _, _ in }
    }

    /// Handles every deadline that has passed.
    func tick() {
        change { state, now in state.show(state.nearby.table.expire(at: now)) }
        takes.expire()
    }

    /// This device; another one after it has left its circle.
    var identity: Identity { read(\.trust.identity) }

    // MARK: Reading and changing the state

    /// Reads the state.
    func read<Result: Sendable>(_ body: (State) -> Result) -> Result {
        state.withLock { body($0) }
    }

    /// Changes a part of the state without consequences, such as a cache.
    func edit<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Changes the state, publishes the resulting plans, and shows the effects on the bus.
    ///
    /// - Throws: what `body` throws; what it has changed before stays changed.
    @discardableResult
    func change<Result: Sendable, Failure: Error>(
        _ body: (inout State, Moment) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, clockStep) = state.withLock { state -> (Swift.Result<Result, Failure>, ClockSteps.Step?) in
            let now = Moment.now
            let before = state.origin.current?.id
            let result = Swift.Result { () throws(Failure) in try body(&state, now) }
            let plans = state.advance(to: now, since: before)
            publish(plans, at: now)
            return (result, plans.clockStep)
        }
        showEffects()
        if let clockStep { report(clockStep) }
        return try result.get()
    }

    private func report(_ step: ClockSteps.Step) {
        logger.notice("the clock was set \(step.text)", metadata: ["event": "clock.set"])
    }

    /// Changes a draft of the kept state, writes it, and only then makes it the state.
    ///
    /// The change is on disk before anything shows it. One change at a time is made; events that change nothing on disk
    /// continue during the write, however long it takes. A step of a pairing must not be left out because the radio has
    /// failed meanwhile: so the change is made even if the task is cancelled.
    ///
    /// - Parameters:
    ///   - edit: changes the draft.
    ///   - follow: changes the rest of the state, which contains the draft already, under the mutex.
    /// - Throws: what `edit` throws, and ``HandoffError`` with `stateUnwritable`: then nothing has changed.
    func persist<Result: Sendable>(
        _ edit: (inout KeptState) throws(HandoffError) -> Result,
        then follow: (inout State, Result) -> Void = { _, _ in }
    ) async throws -> Result {
        try await keptStateChange.withLockIgnoringCancellation {
            let before = read(\.kept)
            var draft = before
            let result = try edit(&draft)
            try await write(draft, replacing: before)
            let kept = draft
            try change { state, _ throws(HandoffError) in
                try state.keep(kept)
                follow(&state, result)
            }
            return result
        }
    }

    private func write(_ draft: KeptState, replacing before: KeptState) async throws {
        let changesDevices = draft.devices.contents.isWorthWriting(after: before.devices.contents)
        guard changesDevices || draft.pairings != before.pairings else { return }
        logger.debug("writing what has changed", metadata: ["event": "state.writing"])
        if draft.devices.identity.id != before.devices.identity.id {
            // In this order: if a step fails, the device has left under its old identity, and no new identity is ever
            // heard under a key of an old pairing.
            try await PairingsFile.write(draft.pairings, to: directory)
            try await CircleFile.write(draft.devices.contents, to: directory)
            return try await draft.devices.identity.write(to: directory)
        }
        if changesDevices { try await CircleFile.write(draft.devices.contents, to: directory) }
        guard draft.pairings != before.pairings else { return }
        do {
            try await PairingsFile.write(draft.pairings, to: directory)
        } catch {
            // The devices are on disk already; only the record of the pairing is out of date there.
            guard changesDevices else { throw error }
            logger.warning("cannot save a pairing: \(error)", metadata: ["event": "pairing.unwritten"])
        }
    }

    // MARK: Showing the state

    /// Shows the state and all following effects to `newObserver`; nil for none.
    ///
    /// - Parameter present: called with the present state, before the first effect.
    func observe(by newObserver: (any EngineObserver)?, present: (State) -> Void = { _ in }) {
        observer.withLock { observer in
            let now = state.withLock { state in
                state.dropEffects()
                return state
            }
            present(now)
            observer = newObserver
        }
    }

    /// The observer, for requests that want an answer; nil while there is no bus.
    var currentObserver: (any EngineObserver)? { observer.withLock(\.self) }

    /// Shows the effects, in order; several threads may call this, and one at a time proceeds.
    private func showEffects() {
        observer.withLock { observer in
            while let effect = state.withLock({ $0.nextEffect() }) { observer?.show(effect) }
        }
    }

    // MARK: Plans

    private func publish(_ plans: Plans, at now: Moment) {
        saveCompletions.update(plans.saveCompletions)
        learntTypes.update(plans.learntTypes)
        advertising.update(plans.advertising)
        scanning.update(plans.scanning)
        documents.update(plans.documents)
        currentRules.update(plans.rules)
        siteWork.update(plans.siteWork)
        radioGeneration.update(plans.advertising.radioGeneration)
        keptDay.update(DailyKey.keptDay(at: now.slot))
        arm(plans.deadline, now: now)
    }

    /// Sets the alarm, unless it is set for an earlier time: every sighting postpones a time-out, and none is worth a
    /// wake-up.
    private func arm(_ next: Duration?, now: Moment) {
        guard let next else { return }
        if let armed = deadline.current.value, armed > now.uptime, armed <= next { return }
        deadline.set(next)
    }
}
