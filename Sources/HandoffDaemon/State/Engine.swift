import AsyncSupport
package import Bluetooth
import DBus
import DequeModule
import HandoffApps
import HandoffCore
import HandoffCrypto
import HandoffFolders
package import HandoffModel
import HandoffRadio
import HandoffWire
package import Logging
import Synchronization

/// The daemon's state, and the only place where it changes.
///
/// Every event on the bus, from the radio or by the clock is a call of a method here: under one mutex, it is passed to
/// the pure state machines of HandoffCore, and the results are published as plans, which the services carry out, and as
/// effects, which the bus shows. No method blocks or waits, except to find a document: for two seconds at most, and
/// outside the mutex.
package final class Engine: Sendable {
    /// A change that the bus should show.
    enum Effect: Sendable {
        case activityAdded(ActivityRegister.Record)
        case activityChanged(from: ActivityRegister.Record, to: ActivityRegister.Record)
        case activityRemoved(ActivityRegister.ID)
        /// The app has to be asked to save.
        case saveRequested(ActivityRegister.Record, SaveRequests.Request)
        case saveEnded(ActivityRegister.ID, SaveRequests.Outcome)
        case fetched(ActivityRegister.ID, by: DeviceID, Activity)
        /// The app has to be notified which device continues its activity.
        case continued(ActivityRegister.Record, by: DeviceID, name: String)
        /// `from` is nil if there was no current activity, or if it was removed altogether.
        case currentChanged(from: ActivityRegister.ID?, to: ActivityRegister.ID?)
        case nearby(NearbyTable.Change)
        case deviceAdded(TrustedDevices.Device)
        case deviceChanged(TrustedDevices.Device)
        case deviceRemoved(DeviceID)
        /// This device was renamed, or its advisories have changed.
        case identityChanged
        case radioChanged
        /// The set of unconfirmed pairings has changed.
        case pairingsChanged
        /// The last value is set to whether the app has accepted its end.
        case streamOpened(ActivityRegister.Record, by: DeviceID, name: String, UnixFD, Promise<Bool>)
    }

    /// The planned advertisement.
    struct AdvertisingPlan: Hashable, Sendable {
        var advertisement: Advertisement?
        /// The content of the advertisement.
        var content: AdvertisementPacer.Content?
        /// Counts how often the radio has become usable, so that refused advertisements are tried again.
        var radioGeneration: UInt64
    }

    /// The planned scan.
    struct ScanningPlan: Hashable, Sendable {
        enum Effort: Hashable, Sendable {
            case none, dutyCycled, continuous
        }

        var effort: Effort
        var services: Set<BluetoothUUID> = [Engine.service]
        var radioGeneration: UInt64
    }

    /// The documents to be followed, and the folders in which they may be.
    struct DocumentPlan: Hashable, Sendable {
        var documents: [ActivityRegister.ID: String] = [:]
        var folders = SyncedFolders()
    }

    /// A sealed advertisement, and its inputs.
    struct Sealed: Sendable {
        let broadcast: AdvertisementPacer.Broadcast
        let port: LEPSM
        let key: AdvertisingKey
        /// The only member that can read it; nil when the whole circle can.
        let member: DeviceID?
        let advertisement: Advertisement
        /// The time until which it is kept although its key was replaced; set when the replacement is noticed.
        var end: Duration?
    }

    /// The number of own advertisements that are remembered, to distinguish replays of them from a clone's advertisements.
    static let maximumSent = 512

    /// How long an advertisement is kept when only its key is replaced.
    ///
    /// A device that was just removed knows the content already. If it dials in this time, it finds out that it is not
    /// trusted any more; otherwise it would dial an address that is not used any more.
    static let keyGrace = Duration.seconds(10)

    struct State: Sendable {
        var origin = Origin(run: .random(in: .min ... .max))
        var nearby = NearbyTable()
        var devices: TrustedDevices
        var opener = AdvertisementOpener<AdvertisementSender>(keys: [])
        var trial: NoiseResponderTrial<DeviceID>
        /// The keys for directed advertisements between each member and this device.
        var directedAdvertisingKeys: [DeviceID: DirectedAdvertisingKeys] = [:]
        var directedSchedule = DirectedAdvertisingSchedule()
        /// The advertisements that this device sent to its circle lately, the newest last.
        var sent: Deque<[UInt8]> = []
        /// Whether an advertisement was heard under this device's own key that it has not sent.
        var isCloned = false
        var knownTypes = KnownTypes()
        var clockSkew = ClockSkewDetector()
        var apps = AppRegistry()
        var folders = SyncedFolders()
        /// The types that apps handle, by their hashes.
        var appTypes: [ActivityTypeHash: ActivityType] = [:]
        var activeScanners: Set<BusName> = []
        var radio = RadioState.unavailable(RadioError(.serviceAbsent, "The radio has not started yet."))
        var radioGeneration: UInt64 = 0
        var port: LEPSM?
        var lastSeen: [DeviceID: Int64] = [:]
        /// The endpoint at which each trusted device was heard last.
        var endpoints: [DeviceID: PeerEndpoint] = [:]
        var outbox: Deque<Effect> = []
        /// The advertisement sealed last, and its inputs; most changes of the state do not affect it.
        var sealed: Sealed?
        /// The number of circle updates for each device.
        var updateThrottles: [DeviceID: UpdateThrottle] = [:]
        /// The devices that were found to know a different state of the circle.
        var divergentPeers: Set<DeviceID> = []
        var pairing = PairingState()

        var isReady: Bool {
            if case .ready = radio { true } else { false }
        }
    }

    /// The service UUID for advertisements of this version of the protocol (Docs/Protocol.md).
    package static let service = ProtocolVersion.current.serviceUUID
    /// The service UUID for advertisements of pairing devices.
    package static let pairingService = ProtocolVersion.current.pairingServiceUUID

    let identity: Identity
    let logger: Logger
    let advertising = CurrentValue(AdvertisingPlan(advertisement: nil, radioGeneration: 0))
    let scanning = CurrentValue(ScanningPlan(effort: .none, radioGeneration: 0))
    let documents = CurrentValue(DocumentPlan())
    let deadline = CurrentValue<Duration?>(nil)
    /// Changes whenever fetches no longer have to wait for an app.
    let saveCompletions = CurrentValue<UInt64>(0)
    /// Changes whenever a device was removed.
    let removals = CurrentValue<Void>(())
    /// Changes whenever a trusted device was heard.
    let deviceUpdates = CurrentValue<Void>(())
    /// Changes whenever the state of a pairing has changed.
    let pairings = CurrentValue<Void>(())

    private let state: Mutex<State>
    /// Held while the devices are changed, from reading them to showing the change; the state is not locked in this
    /// time.
    private let deviceChange = Mutex<Void>(())
    private let observer = Mutex<(any EngineObserver)?>(nil)

    /// - Throws: `HandoffError` with `stateDamaged` when a trusted device's key is unusable; `CryptoError` when the
    ///   name does not fit a card.
    package init(
        identity: Identity,
        name: DeviceName,
        devices: TrustedDevices,
        logger: Logger
    ) throws {
        var devices = devices
        try devices.setOwnIdentity(identity, name: name)
        _ = try Self.card(of: devices, identity)
        self.identity = identity
        self.logger = logger
        var state = State(devices: devices, trial: try devices.trial(for: identity))
        try state.rekey(for: identity)
        self.state = Mutex(state)
    }

    /// Handles every deadline that has passed.
    func tick() {
        change { state, now in
            state.outbox.append(contentsOf: state.nearby.expire(at: now).map(Effect.nearby))
        }
    }

    /// Reads the state.
    func read<Result: Sendable>(_ body: (State) -> Result) -> Result {
        state.withLock { body($0) }
    }

    /// Changes a part of the state without consequences, such as a cache.
    func edit<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Changes the state, publishes the resulting plans, and shows the effects on the bus.
    func change<Result: Sendable>(
        _ body: (inout State, Moment) throws(HandoffError) -> Result
    ) throws(HandoffError) -> Result {
        let result = state.withLock { state -> Swift.Result<Result, HandoffError> in
            let now = Moment.now
            let before = state.origin.current?.id
            defer { recomputePlans(&state, before: before, now: now) }
            do throws(HandoffError) {
                return .success(try body(&state, now))
            } catch {
                return .failure(error)
            }
        }
        showEffects()
        return try result.get()
    }

    /// Does the same for a change that cannot fail.
    func change<Result: Sendable>(_ body: (inout State, Moment) -> Result) -> Result {
        let result = state.withLock { state in
            let now = Moment.now
            let before = state.origin.current?.id
            defer { recomputePlans(&state, before: before, now: now) }
            return body(&state, now)
        }
        showEffects()
        return result
    }

    /// Changes the devices durably, and then the state that depends on them.
    ///
    /// The change is on disk before anything shows it. Other changes continue during the write.
    ///
    /// - Parameters:
    ///   - body: changes a draft of the devices, and writes it.
    ///   - follow: changes the rest of the state, which contains the changed devices already.
    func changeDevices<Result: Sendable>(
        _ body: (inout TrustedDevices) throws(HandoffError) -> Result,
        then follow: (inout State, Result) throws(HandoffError) -> Void
    ) throws(HandoffError) -> Result {
        let outcome = deviceChange.withLock { _ -> Swift.Result<Result, HandoffError> in
            do throws(HandoffError) {
                var devices = read(\.devices)
                let result = try body(&devices)
                let changed = devices
                try change { state, _ throws(HandoffError) in
                    state.devices = changed
                    try follow(&state, result)
                }
                return .success(result)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Shows the state and all following effects to `newObserver`; nil for none.
    ///
    /// - Parameter present: called with the present state, before the first effect.
    func observe(by newObserver: (any EngineObserver)?, present: (State) -> Void = { _ in }) {
        observer.withLock { observer in
            let now = state.withLock { state in
                state.outbox.removeAll()
                return state
            }
            present(now)
            observer = newObserver
        }
    }

    /// Recomputes the plans from the state.
    private func recomputePlans(_ state: inout State, before: ActivityRegister.ID?, now: Moment) {
        for id in state.origin.expireSaves(at: now) { state.outbox.append(.saveEnded(id, .timedOut)) }
        saveCompletions.update(state.origin.saveCompletions)
        let (broadcast, next) = state.origin.advance(to: now)
        let current = state.origin.current?.id
        if current != before {
            let left = before.flatMap { state.origin.contains($0) ? $0 : nil }
            state.outbox.append(.currentChanged(from: left, to: current))
        }
        let turn = state.directedSchedule.advance(
            to: now.uptime,
            advertising: broadcast?.content,
            circleDigest: state.devices.digest,
            for: state.devices.lagging
        )
        let (pairing, pairingEnd) = state.pairingAdvertisement(at: now)
        let ordinary = advertisement(for: broadcast, to: turn.member, at: now.uptime, in: &state)
        advertising.update(
            AdvertisingPlan(
                advertisement: pairing ?? ordinary,
                content: pairing == nil ? broadcast?.content : nil,
                radioGeneration: state.radioGeneration
            )
        )
        scanning.update(
            ScanningPlan(
                effort: effort(in: state, now),
                services: state.pairing.services,
                radioGeneration: state.radioGeneration
            )
        )
        documents.update(DocumentPlan(documents: state.origin.documents, folders: state.folders))
        let deadlines = [next, turn.next, state.sealed?.end, state.nearby.nextTimeout, pairingEnd]
        arm(deadlines.compactMap(\.self).min(), now: now)
    }

    /// Sets the alarm, unless it is set for an earlier time: every sighting postpones a time-out, and none is worth a
    /// wake-up.
    private func arm(_ next: Duration?, now: Moment) {
        guard let next else { return }
        if let armed = deadline.current.value, armed > now.uptime, armed <= next { return }
        deadline.set(next)
    }

    private func advertisement(
        for broadcast: AdvertisementPacer.Broadcast?,
        to member: DeviceID?,
        at uptime: Duration,
        in state: inout State
    ) -> Advertisement? {
        // Without trusted devices, no device could read it, and it would only reveal that this device is here.
        guard let broadcast, let port = state.port, !state.devices.isEmpty, state.isReady else {
            state.sealed = nil
            return nil
        }
        let own = state.devices.ownKey ?? identity.keys.advertisingKey
        let key = member.flatMap { state.directedAdvertisingKeys[$0]?.sending } ?? own
        if let sealed = state.sealed, sealed.broadcast == broadcast, sealed.port == port, sealed.member == member {
            let end = sealed.key == key ? nil : sealed.end ?? uptime + Self.keyGrace
            state.sealed?.end = end
            if sealed.key == key || uptime < end ?? uptime { return sealed.advertisement }
        }
        let sealer = AdvertisementSealer(key: key, slot: broadcast.slot)
        let advertisement = Advertisement(
            service: Self.service,
            data: sealer.seal(AdvertisementPayload(broadcast.content, port: port).encode()),
            pace: broadcast.isFresh ? .fast : .relaxed
        )
        if member == nil {
            state.sent.append(advertisement.data)
            if state.sent.count > Self.maximumSent { state.sent.removeFirst() }
        }
        state.sealed = Sealed(
            broadcast: broadcast,
            port: port,
            key: key,
            member: member,
            advertisement: advertisement
        )
        return advertisement
    }

    private func effort(in state: State, _ now: Moment) -> ScanningPlan.Effort {
        guard state.isReady else { return .none }
        if let effort = state.pairing.effort(at: now) { return effort }
        guard !state.devices.isEmpty else { return .none }
        return state.activeScanners.isEmpty ? .dutyCycled : .continuous
    }

    /// Shows the effects in the outbox, in order; several threads may call this, and one at a time proceeds.
    private func showEffects() {
        observer.withLock { observer in
            while let effect = state.withLock({ $0.outbox.popFirst() }) {
                observer?.show(effect)
            }
        }
    }
}
