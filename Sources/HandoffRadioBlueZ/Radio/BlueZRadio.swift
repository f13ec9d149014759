import AsyncSupport
import Bluetooth
import BlueZ
package import DBus
import Epoll
package import HandoffRadio
package import Logging
import Synchronization

/// A radio over bluetoothd, the kernel's L2CAP and one Bluetooth adapter.
///
/// It never powers the adapter on, leaves nothing in bluetoothd when it ends, and recovers when the adapter is
/// unplugged or switched off and when bluetoothd or the bus is restarted.
package final class BlueZRadio: Radio {
    package typealias Channel = BlueZChannel

    /// The connections and the adapter that are in use while the radio is ready.
    struct Session: Sendable {
        let bluez: BlueZ
        let reactor: Reactor
        let adapter: Adapter
        /// The settings of bluetoothd, as they were when the adapter appeared or was switched on.
        let configuration: MainConfiguration
    }

    private struct State {
        var session: Session?
        var isAdvertising = false
        var hasRun = false
    }

    let logger: Logger
    let transport: ChannelTransport
    let dropLimit: Duration
    let deviceQueryTimeout: Duration
    let idleLinkLimits: IdleLinkLimits
    let idleLinks = Mutex(IdleLinkReports())
    /// Serializes the GATT exchanges with each device.
    let gattTurns = KeyedAsyncMutex<BluetoothAddress>()
    /// Serializes creating and dropping the link to each device.
    let linkTurns = KeyedAsyncMutex<BluetoothAddress>()
    /// Whether a listener has published the GATT service.
    let isGATTServiceTaken = Mutex(false)
    /// Two dials at once: the kernel makes the link to the device that it hears first (net/bluetooth/hci_event.c,
    /// `check_pending_le_conn`), so that an address that is gone does not delay one that is there.
    let dials = CountingSemaphore(2)
    let links = Mutex(LinkUsageTable())
    /// The devices whose links bluetoothd was asked to drop, which takes it 2 s.
    let droppedLinks = Mutex(Set<ObjectPath>())

    /// When the advertisement has to be registered again.
    let renewal = Mutex(AdvertisementRenewal())

    private let bus: BusAddress
    private let choice: Mutex<AdapterChoice>
    private let state = Mutex(State())
    private let condition = CurrentValue(
        RadioState.unavailable(RadioError(.serviceAbsent, "the radio has not been started yet"))
    )

    /// - Parameters:
    ///   - bus: where bluetoothd is.
    ///   - adapter: the kernel's name of the adapter to use, such as `hci1`; nil for the first usable one, which is
    ///     kept until it is removed.
    ///   - transport: the transport for channels.
    ///   - dropLimit: how long bluetoothd may take to drop a link; only dials to the same device wait for it. It takes
    ///     2 to 3 s, because its timer counts whole seconds, and more when it is busy.
    ///   - deviceQueryTimeout: how long bluetoothd may take to tell whether a link exists already.
    ///   - idleLinkLimits: how long a device that has connected may take to open a channel.
    ///   - logger: receives the log messages.
    package init(
        bus: BusAddress = .system,
        adapter: String? = nil,
        transport: ChannelTransport = .automatic,
        dropLimit: Duration = .seconds(8),
        deviceQueryTimeout: Duration = .seconds(1),
        idleLinkLimits: IdleLinkLimits = IdleLinkLimits(),
        logger: Logger
    ) {
        self.bus = bus
        self.dropLimit = dropLimit
        self.deviceQueryTimeout = deviceQueryTimeout
        self.idleLinkLimits = idleLinkLimits
        self.transport = transport
        self.logger = logger
        choice = Mutex(AdapterChoice(name: adapter))
    }

    package func states() -> AsyncStream<RadioState> {
        condition.values()
    }

    package func run() async throws {
        let isFirst = state.withLock { state in
            defer { state.hasRun = true }
            return !state.hasRun
        }
        guard isFirst else { throw RadioError(.unusable, "this radio has run already: create another one") }
        defer { condition.finish() }
        var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do {
                try await connect()
            } catch {
                guard !Task.isCancelled else { break }
                try connectionLost(error)
            }
            // A connection that lasted this long was successful; start with the shortest delay again.
            if start.duration(to: .now) > backoff.longest { backoff.reset() }
            try? await backoff.wait()
        }
    }

    /// Returns the current session.
    ///
    /// - Throws: ``RadioError`` with the reason why the radio is unavailable.
    func session() throws(RadioError) -> Session {
        if let session = state.withLock(\.session) { return session }
        guard case .unavailable(let error) = condition.value else {
            throw RadioError(.serviceAbsent, "the radio has ended")
        }
        throw error
    }

    /// Runs `body` unless an advertisement is already on the air.
    func whileAdvertising<Success>(_ body: () async throws -> Success) async throws -> Success {
        let isFree = state.withLock { state in
            defer { state.isAdvertising = true }
            return !state.isAdvertising
        }
        guard isFree else { throw RadioError(.busy, "the radio is already advertising: end that advertisement first") }
        defer { state.withLock { $0.isAdvertising = false } }
        return try await body()
    }

    private func connect() async throws {
        try await Connection.withConnection(to: bus) { connection in
            try await Reactor.withReactor { reactor in
                try await withBlueZ(on: connection) { bluez in
                    defer { self.state.withLock { $0.session = nil } }
                    for await snapshot in bluez.snapshots() {
                        self.update(snapshot, bluez, reactor)
                    }
                }
            }
        }
    }

    private func update(_ snapshot: BlueZSnapshot, _ bluez: BlueZ, _ reactor: Reactor) {
        if snapshot.service == .unknown, case .unavailable = condition.value {
            // It will be known in a moment; until then the last reason remains.
            return
        }
        switch choice.withLock({ $0.choose(from: snapshot) }) {
        case .success(let adapter):
            let known = state.withLock(\.session).flatMap { $0.adapter.incarnation == adapter.incarnation ? $0 : nil }
            let configuration = known?.configuration ?? .current()
            let session = Session(bluez: bluez, reactor: reactor, adapter: adapter, configuration: configuration)
            state.withLock { $0.session = session }
            // The user may have followed an advisory meanwhile: the alias can change at any time.
            let description = RadioDescription(
                name: adapter.name,
                advisories: RadioAdvisory.all(for: adapter, configuration),
                isPlayingAudio: adapter.isPlayingAudio
            )
            guard known == nil || condition.value != .ready(description) else { return }
            if known == nil { links.withLock { $0 = LinkUsageTable() } }
            publish(.ready(description))
        case .failure(let error):
            state.withLock { $0.session = nil }
            publish(.unavailable(RadioError(error, refusal: .serviceAbsent)))
        }
    }

    /// Publishes that the connection to the bus was lost.
    ///
    /// - Throws: ``RadioError`` with `unusable` for an invalid bus address, which waiting cannot fix.
    private func connectionLost(_ error: any Error) throws(RadioError) {
        if let error = error as? DBusError, error.code == .invalidAddress {
            throw RadioError(.unusable, error.message)
        }
        let message =
            "the system bus, on which bluetoothd is, cannot be reached: \(error). Start it (`systemctl start dbus`); in "
            + "a container, mount its socket /run/dbus/system_bus_socket."
        publish(.unavailable(RadioError(.serviceAbsent, message)))
    }

    private func publish(_ next: RadioState) {
        guard next != condition.value else { return }
        switch next {
        case .ready(let description): logger.info("using \(description.name)")
        case .unavailable(let error): logger.notice("\(error)")
        }
        condition.update(next)
    }
}
