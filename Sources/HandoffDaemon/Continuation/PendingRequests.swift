import AsyncSupport
import DBus
import HandoffBus
import HandoffCore
import Synchronization

/// The requests of clients that take long: each ends when its client cancels it or leaves the bus.
final class PendingRequests: Sendable {
    fileprivate struct Key: Hashable {
        let client: BusName
        /// What the requests are about: the path of an object, or a continuation.
        let subject: String
    }

    fileprivate struct Cancellations {
        var all: [UInt64: Promise<Void>] = [:]
    }

    private let state = Mutex<(pending: [Key: Cancellations], lastNumber: UInt64)>(([:], 0))

    /// The number of requests in progress.
    var count: Int { state.withLock { $0.pending.values.reduce(0) { $0 + $1.all.count } } }

    /// Begins a request, which is in progress for as long as the returned object exists.
    ///
    /// Called when the request arrives, so that a cancellation that follows it finds it.
    func begin(by client: Caller, about subject: String) -> PendingRequest {
        let key = Key(client: client.name, subject: subject)
        let cancellation = Promise<Void>()
        let number = state.withLock { state in
            state.lastNumber += 1
            state.pending[key, default: Cancellations()].all[state.lastNumber] = cancellation
            return state.lastNumber
        }
        return PendingRequest(client: client, cancellation: cancellation) { [self] in
            state.withLock { state in
                state.pending[key]?.all[number] = nil
                if state.pending[key]?.all.isEmpty == true { state.pending[key] = nil }
            }
        }
    }

    /// Cancels the requests of a client about a subject; does nothing if it has none.
    func cancel(by client: BusName, about subject: String) {
        let key = Key(client: client, subject: subject)
        for cancellation in state.withLock({ $0.pending[key]?.all ?? [:] }).values { cancellation.fulfil(()) }
    }
}

/// One request of a client.
final class PendingRequest: Sendable {
    /// Returns why the client does not want the result any more, as soon as it does not; else waits.
    typealias Abandonment = @Sendable () async throws -> HandoffError

    private let client: Caller
    private let cancellation: Promise<Void>
    private let end: @Sendable () -> Void

    fileprivate init(client: Caller, cancellation: Promise<Void>, end: @escaping @Sendable () -> Void) {
        self.client = client
        self.cancellation = cancellation
        self.end = end
    }

    deinit { end() }

    /// Runs `body`, and cancels it when the client cancels the request or leaves the bus.
    ///
    /// - Throws: what `body` throws; ``HandoffError`` with `userCancelled`; `DBusError` when the bus does not answer.
    func whileWanted<Success: Sendable>(
        on connection: Connection,
        _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        try await withAbandonment(on: connection) { abandonment in
            try await race(body) { throw try await abandonment() }
        }
    }

    /// Runs `body` with what tells that the client has cancelled the request or left the bus.
    ///
    /// A client that expects no reply may leave the bus; it can cancel the request nevertheless.
    ///
    /// - Throws: what `body` throws; `DBusError` when the bus does not answer.
    func withAbandonment<Success: Sendable>(
        on connection: Connection,
        _ body: (_ abandonment: @escaping Abandonment) async throws -> Success
    ) async throws -> Success {
        try await connection.withDeparture(of: client.expectsReply ? client.name : nil) { departure in
            let cancellation = cancellation
            return try await body {
                try await race {
                    try await departure()
                    return Self.departed
                } _: {
                    try await cancellation.value()
                    return Self.cancelled
                }
            }
        }
    }

    private static let departed = HandoffError(.userCancelled, "The program that asked for the activity has ended.")
    private static let cancelled = HandoffError(.userCancelled, "The program that asked for it has cancelled it.")
}
