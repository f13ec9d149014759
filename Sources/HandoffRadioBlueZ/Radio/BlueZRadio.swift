import AsyncSupport
import BlueZ
package import DBus
import Epoll
package import HandoffRadio
package import Logging
import Synchronization

/// A radio over bluetoothd, the kernel's L2CAP and one Bluetooth adapter.
///
/// It switches nothing on, keeps nothing in bluetoothd that outlives it, and follows the adapter through unplugging,
/// switching off, and restarts of bluetoothd and of the bus.
package final class BlueZRadio: Radio {
    package typealias Channel = BlueZChannel

    /// What can be used while the radio is ready.
    struct Session: Sendable {
        let bluez: BlueZ
        let reactor: Reactor
        let adapter: Adapter
    }

    private struct State {
        var session: Session?
        var isAdvertising = false
        var hasRun = false
    }

    let logger: Logger
    let transport: ChannelTransport
    let dropLimit: Duration
    /// Whose turn it is to write into which device's mailbox.
    let gattTurns = KeyedAsyncMutex<DeviceAddress>()
    /// Whose turn it is to make or to drop the link to which device.
    let linkTurns = KeyedAsyncMutex<DeviceAddress>()
    /// Whether a listener has the mailbox.
    let isGATTServiceTaken = Mutex(false)
    let dials = AsyncMutex()
    let links = Mutex(LinkUsageTable())

    private let bus: BusAddress
    private let choice: Mutex<AdapterChoice>
    private let state = Mutex(State())
    private let condition = CurrentValue(
        RadioState.unavailable(RadioError(.serviceAbsent, "the radio has not been started yet"))
    )

    /// - Parameters:
    ///   - bus: where bluetoothd is.
    ///   - adapter: the kernel's name of the adapter to use, such as `hci1`; nil for the first usable one, which is kept
    ///     until it is removed.
    ///   - transport: what carries the channels.
    ///   - dropLimit: how long bluetoothd may take to drop a link; only those wait for it who dial the same device. It takes 2 to
    ///     3 s, for its timer counts whole seconds, and more when it is busy.
    ///   - logger: where it tells what it does.
    package init(
        bus: BusAddress = .system,
        adapter: String? = nil,
        transport: ChannelTransport = .automatic,
        dropLimit: Duration = .seconds(8),
        logger: Logger
    ) {
        self.bus = bus
        self.dropLimit = dropLimit
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
        guard isFirst else { throw RadioError(.unusable, "this radio has run already: make another") }
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
            // A connection that lasted was a good one, and what ended it another matter.
            if start.duration(to: .now) > backoff.longest { backoff.reset() }
            try? await backoff.wait()
        }
    }

    /// What can be used now.
    ///
    /// - Throws: ``RadioError`` with the reason why nothing can.
    func session() throws(RadioError) -> Session {
        if let session = state.withLock(\.session) { return session }
        guard case .unavailable(let error) = condition.value else {
            throw RadioError(.serviceAbsent, "the radio has ended")
        }
        throw error
    }

    /// Runs `body` unless one of its kind is running.
    func whileAdvertising<Success>(_ body: () async throws -> Success) async throws -> Success {
        let isFree = state.withLock { state in
            defer { state.isAdvertising = true }
            return !state.isAdvertising
        }
        guard isFree else { throw RadioError(.busy, "the radio is advertising already: end that first") }
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
            // It will be known in a moment; until then the last reason stands.
            return
        }
        switch choice.withLock({ $0.choose(from: snapshot) }) {
        case .success(let adapter):
            let session = Session(bluez: bluez, reactor: reactor, adapter: adapter)
            let isNew = state.withLock { state in
                defer { state.session = session }
                return state.session?.adapter.incarnation != adapter.incarnation
            }
            guard isNew else { return }
            links.withLock { $0 = LinkUsageTable() }
            let advisories = RadioAdvisory.all(for: adapter, .current())
            publish(.ready(RadioDescription(name: adapter.name, advisories: advisories)))
        case .failure(let error):
            state.withLock { $0.session = nil }
            publish(.unavailable(RadioError(error, refusal: .serviceAbsent)))
        }
    }

    /// Takes note that the bus, or what runs on it, is gone.
    ///
    /// - Throws: ``RadioError`` with `unusable` for an address that no waiting will make one.
    private func connectionLost(_ error: any Error) throws(RadioError) {
        if let error = error as? DBusError, error.code == .invalidAddress {
            throw RadioError(.unusable, error.message)
        }
        publish(.unavailable(RadioError(.serviceAbsent, "the system bus cannot be reached: \(error)")))
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
