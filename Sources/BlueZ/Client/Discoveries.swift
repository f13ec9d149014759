import AsyncSupport
import DBus
import Synchronization

/// The discovery sessions of one connection: at most one for each adapter.
final class Discoveries: Sendable {
    private let (settling, persistence): (Duration, Duration)
    private let sessions = Mutex<[ObjectPath: DiscoverySession]>([:])

    /// Changes whenever a session has ended or was not started.
    let ends = CurrentValue<Void>(())

    init(settling: Duration, persistence: Duration) {
        (self.settling, self.persistence) = (settling, persistence)
    }

    /// Returns the session on that adapter, and creates it on the first call.
    func session(on adapter: ObjectPath) -> DiscoverySession {
        sessions.withLock { sessions in
            if let session = sessions[adapter] { return session }
            let session = DiscoverySession(settling: settling, persistence: persistence)
            sessions[adapter] = session
            return session
        }
    }
}

/// One discovery session: the state of the arbiter, and the readers to notify of a failure.
final class DiscoverySession: Sendable {
    private struct State {
        var arbiter: DiscoveryArbiter
        var failures: [UInt64: AsyncStream<BlueZError>.Continuation] = [:]
        var errors: [UInt64: BlueZError] = [:]
        /// The incarnation of the adapter on which bluetoothd has accepted the filter.
        var filtered: UInt64?
    }

    /// Held while bluetoothd is called about this session.
    let turns = AsyncMutex()

    private let state: Mutex<State>

    init(settling: Duration, persistence: Duration) {
        state = Mutex(State(arbiter: DiscoveryArbiter(settling: settling, persistence: persistence)))
    }

    /// Whether bluetoothd has started our session.
    var isOn: Bool { state.withLock(\.arbiter.isOn) }

    var nextStep: DiscoveryArbiter.Step? { state.withLock(\.arbiter.nextStep) }

    /// Adds a reader.
    ///
    /// - Returns: a sequence with one element, the error, when the session fails.
    func join(_ reader: UInt64) -> AsyncStream<BlueZError> {
        let (failures, failed) = AsyncStream<BlueZError>.makeStream()
        state.withLock { state in
            state.arbiter.join(reader)
            state.failures[reader] = failed
        }
        return failures
    }

    func leave(_ reader: UInt64) {
        state.withLock { state in
            state.arbiter.leave(reader)
            state.failures[reader] = nil
            state.errors[reader] = nil
        }
    }

    /// Throws the error of which this reader was already notified.
    func check(_ reader: UInt64) throws(BlueZError) {
        if let error = state.withLock({ $0.errors[reader] }) { throw error }
    }

    /// Whether bluetoothd has accepted the filter of this session, on the adapter as it is now.
    ///
    /// It keeps the filter for the connection (bluez src/adapter.c, discovery_remove).
    func hasFilter(on adapter: Adapter) -> Bool {
        state.withLock { $0.filtered == adapter.incarnation }
    }

    /// Records that bluetoothd has accepted the filter.
    func didSetFilter(on adapter: Adapter) {
        state.withLock { $0.filtered = adapter.incarnation }
    }

    func pause() {
        state.withLock { $0.arbiter.pause() }
    }

    func resume() {
        state.withLock { $0.arbiter.resume() }
    }

    func didStart() {
        state.withLock { $0.arbiter.didStart() }
    }

    func didStop() {
        state.withLock { $0.arbiter.didStop(at: .now) }
    }

    /// Processes the value of `Adapter1.Discovering` before the session is started; returns whether another program keeps
    /// discovery on, or nil when that cannot be told.
    func willStart(isDiscovering: Bool) -> Bool? {
        state.withLock { $0.arbiter.willStart(isDiscovering: isDiscovering, at: .now) }
    }

    /// Processes the value of `Adapter1.Discovering` for other programs, as `DiscoveryArbiter` does.
    func observeOthers(isDiscovering: Bool) -> (verdict: Bool?, again: ContinuousClock.Instant?) {
        state.withLock { $0.arbiter.observeOthers(isDiscovering: isDiscovering, at: .now) }
    }

    /// Notifies all readers.
    func didFail(_ error: BlueZError) {
        state.withLock { state in
            for reader in state.arbiter.didFail() {
                state.errors[reader] = error
                state.failures[reader]?.yield(error)
            }
        }
    }

    /// Processes the value of `Adapter1.Discovering`; returns whether the session was ended from outside.
    func observe(isDiscovering: Bool) -> Bool {
        state.withLock { $0.arbiter.observe(isDiscovering: isDiscovering) }
    }
}
