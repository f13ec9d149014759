import AsyncSupport
import DBus
import DequeModule
import HandoffApps
import HandoffCore
import HandoffCrypto
import HandoffFolders
package import HandoffModel
package import HandoffRadio
import HandoffWire
package import Logging
import Synchronization

/// The daemon's state, and the one place where it changes.
///
/// Everything that happens, on the bus, in the air, or by the clock, is a call of a method here: under one mutex it goes
/// through the pure machines of HandoffCore, and what follows from it is published as plans that the services carry out
/// and as effects that the bus shows. No method blocks or waits, but to find out where a document is: for two seconds at
/// most, and not under the mutex.
package final class Engine: Sendable {
    /// Something that the bus should show.
    enum Effect: Sendable {
        case activityAdded(ActivityRegister.Record)
        case activityChanged(from: ActivityRegister.Record, to: ActivityRegister.Record)
        case activityRemoved(ActivityRegister.ID)
        /// The app has to be asked to save.
        case saveRequested(ActivityRegister.Record, SaveRequests.Request)
        case saveEnded(ActivityRegister.ID, SaveRequests.Outcome)
        case fetched(ActivityRegister.ID, by: DeviceID, Activity)
        /// The app has to be told who goes on with its activity.
        case continued(ActivityRegister.Record, by: DeviceID, name: String)
        /// The one before is nil where there was none, or where it is gone altogether.
        case currentChanged(from: ActivityRegister.ID?, to: ActivityRegister.ID?)
        case nearby(NearbyTable.Change)
        case deviceAdded(TrustedDevices.Device)
        case deviceChanged(TrustedDevices.Device)
        case deviceRemoved(DeviceID)
        /// This device has another name, or something is wrong with what it is.
        case identityChanged
        case radioChanged
        /// Other pairings are unconfirmed than before.
        case pairingsChanged
        /// The last one is to be told whether the app has taken its end.
        case streamOpened(ActivityRegister.Record, by: DeviceID, name: String, UnixFD, Promise<Bool>)
    }

    /// What should be on the air.
    struct AdvertisingPlan: Hashable, Sendable {
        var advertisement: Advertisement?
        /// What the advertisement says.
        var content: AdvertisementPacer.Content?
        /// Counts how often the radio has become usable: a reason to try again what it refused.
        var radioGeneration: UInt64
    }

    /// How much to listen.
    struct ScanningPlan: Hashable, Sendable {
        enum Effort: Hashable, Sendable {
            case none, dutyCycled, continuous
        }

        var effort: Effort
        var services: Set<ServiceUUID> = [Engine.service]
        var radioGeneration: UInt64
    }

    /// Which documents are to be followed, and in which folders they may lie.
    struct DocumentPlan: Hashable, Sendable {
        var documents: [ActivityRegister.ID: String] = [:]
        var folders = SyncedFolders()
    }

    /// An advertisement, and what it was made of.
    struct Sealed: Sendable {
        let broadcast: AdvertisementPacer.Broadcast
        let port: ChannelPort
        let key: AdvertisingKey
        /// Who alone can read it; nil when the whole circle can.
        let member: DeviceID?
        let advertisement: Advertisement
        /// Until when it stays although its key was replaced; set when that is found.
        var end: Duration?
    }

    /// How many advertisements are remembered to tell those of a clone from one's own that somebody repeats.
    static let maximumSent = 512

    /// How long an advertisement stays when only its key is replaced.
    ///
    /// A device that was just removed knows what it says already. When it calls meanwhile, it finds out that it is not trusted
    /// any more, instead of nobody at an address that is not used any more.
    static let keyGrace = Duration.seconds(10)

    struct State: Sendable {
        var origin = Origin(run: .random(in: .min ... .max))
        var nearby = NearbyTable()
        var devices: TrustedDevices
        var opener = AdvertisementOpener<AdvertisementSender>(keys: [])
        var trial: NoiseResponderTrial<DeviceID>
        /// Under which keys each member and this device advertise to each other alone.
        var directedAdvertisingKeys: [DeviceID: DirectedAdvertisingKeys] = [:]
        var directedSchedule = DirectedAdvertisingSchedule()
        /// What this device has advertised to its circle lately, the newest last.
        var sent: Deque<[UInt8]> = []
        /// Whether something was heard under this device's own key that it has not said.
        var isCloned = false
        var knownTypes = KnownTypes()
        var clockSkew = ClockSkewDetector()
        var apps = AppRegistry()
        var folders = SyncedFolders()
        /// The types that apps claim, by their hashes.
        var appTypes: [ActivityTypeHash: ActivityType] = [:]
        var activeScanners: Set<String> = []
        var radio = RadioState.unavailable(RadioError(.serviceAbsent, "The radio has not started yet."))
        var radioGeneration: UInt64 = 0
        var port: ChannelPort?
        var lastSeen: [DeviceID: Int64] = [:]
        /// Where each trusted device was heard last.
        var endpoints: [DeviceID: PeerEndpoint] = [:]
        var outbox: Deque<Effect> = []
        /// The advertisement last sealed, and of what; most changes of the state leave it as it is.
        var sealed: Sealed?
        /// How often each device was called because of news.
        var updateThrottles: [DeviceID: UpdateThrottle] = [:]
        /// Devices that were found to know another state of the circle.
        var divergentPeers: Set<DeviceID> = []
        var pairing = PairingState()

        var isReady: Bool {
            if case .ready = radio { true } else { false }
        }
    }

    /// The service under which this version of the protocol advertises (Docs/Protocol.md).
    package static let service = serviceUUID(ProtocolVersion.current.serviceUUID)
    /// The service under which devices find each other that pair.
    package static let pairingService = serviceUUID(ProtocolVersion.current.pairingServiceUUID)

    let identity: Identity
    let logger: Logger
    let advertising = CurrentValue(AdvertisingPlan(advertisement: nil, radioGeneration: 0))
    let scanning = CurrentValue(ScanningPlan(effort: .none, radioGeneration: 0))
    let documents = CurrentValue(DocumentPlan())
    let deadline = CurrentValue<Duration?>(nil)
    /// Changes whenever fetches have to wait for an app no more.
    let saveCompletions = CurrentValue<UInt64>(0)
    /// Changes whenever a device was removed.
    let removals = CurrentValue<Void>(())
    /// Changes whenever a trusted device was heard.
    let deviceUpdates = CurrentValue<Void>(())
    /// Changes whenever a pairing has come to stand otherwise.
    let pairings = CurrentValue<Void>(())

    private let state: Mutex<State>
    /// Held by whoever changes the devices, from reading them to showing the change; the state is not held meanwhile.
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

    /// Carries out every deadline that has come.
    func tick() {
        change { state, now in
            state.outbox.append(contentsOf: state.nearby.expire(at: now).map(Effect.nearby))
        }
    }

    /// Reads the state.
    func read<Result: Sendable>(_ body: (State) -> Result) -> Result {
        state.withLock { body($0) }
    }

    /// Changes a part of the state from which nothing follows, such as a cache.
    func edit<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Changes the state, publishes the plans that follow, and shows the effects on the bus.
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

    /// The same for a change that cannot fail.
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

    /// Changes the devices durably, and then what follows from them.
    ///
    /// The change is on the disk before anything shows it. While the disk is waited for, everything else goes on.
    ///
    /// - Parameters:
    ///   - body: changes a draft of the devices, which writes it.
    ///   - follow: changes the rest of the state, in which the devices are changed already.
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

    /// Shows the state and all that follows from now on to `newObserver`, or to nobody.
    ///
    /// - Parameter present: gets the state as it is, before the first effect.
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

    /// Brings the plans in line with the state.
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

    /// Sets the alarm, unless it rings earlier anyhow: every sighting puts a time-out off, and none is worth a wake-up.
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
        // Nobody could read it without trusting this device, and then it would only tell that this device is here.
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

    /// Shows what waits in the outbox, in order; several threads may come here, and one at a time goes on.
    private func showEffects() {
        observer.withLock { observer in
            while let effect = state.withLock({ $0.outbox.popFirst() }) {
                observer?.show(effect)
            }
        }
    }

    private static func serviceUUID(_ text: String) -> ServiceUUID {
        guard let uuid = ServiceUUID(text) else { preconditionFailure("the protocol's UUID is a UUID") }
        return uuid
    }
}
