import AsyncSupport
import Epoll
import Synchronization

/// Opens one connection of libdbus, and waits for its end.
///
/// Only connecting needs a thread of its own, since libdbus blocks in it; after that the connection waits in the loop of
/// the process (``ConnectionSource``).
final class ConnectionOpening: Sendable {
    let context: ConnectionContext
    private let address: String
    /// The time limit for the bus to answer Hello.
    private let timeout: Duration
    /// Where it will work; in that of the process if nil.
    private let loop: EventLoop?
    private let opened = Promise<Result<BusName, DBusError>>()
    private let ended = Promise<DBusError?>()
    /// Whether the thread may be inside libdbus's `connect`, which cannot be interrupted.
    private let isConnecting = Atomic(true)

    init(address: BusAddress, timeout: Duration, _ loop: EventLoop?) throws(DBusError) {
        (self.timeout, self.loop) = (timeout, loop)
        self.address = try address.resolved()
        context = try ConnectionContext()
    }

    // MARK: For the task that owns the connection

    /// Connects, and waits until the bus has assigned the unique name of the connection.
    ///
    /// If this throws, the connection has ended, unless its thread blocks in `connect`; then it ends when that returns.
    ///
    /// - Throws: `DBusError` with the code `.invalidAddress`, `.connectFailed`, `.timedOut`, `.cancelled` or `.limit`.
    func open() async throws(DBusError) -> BusName {
        do {
            _ = try BlockingThread(named: "bus") { self.connect() }
        } catch {
            throw DBusError(.limit, "no thread can be started for a connection: raise the limit on processes")
        }
        do {
            return try await openingResult().get()
        } catch {
            context.queue.push(.stop)
            if !isConnecting.load(ordering: .acquiring) { _ = await end() }
            throw error
        }
    }

    /// Waits until the connection has ended; returns the reason why it was lost, or nil if it was stopped.
    func end() async -> DBusError? { await ended.valueIgnoringCancellation() }

    private func openingResult() async -> Result<BusName, DBusError> {
        let opened = opened
        let address = address
        // Longer than the limit of Hello, so that this applies only to a `connect` that blocks.
        let limit = timeout + min(timeout, .seconds(2))
        return await withTaskGroup { group in
            group.addTask {
                guard (try? await sleep(for: limit)) != nil else { return }
                opened.fulfil(
                    .failure(DBusError(.timedOut, "the bus at \(address) did not accept the connection in time"))
                )
            }
            defer { group.cancelAll() }
            return await withTaskCancellationHandler {
                await opened.valueIgnoringCancellation()
            } onCancel: {
                opened.fulfil(.failure(DBusError(.cancelled, "connecting to the bus was cancelled")))
            }
        }
    }

    // MARK: On the thread

    private func connect() {
        do {
            defer { isConnecting.store(false, ordering: .releasing) }
            let transport = try Transport(address: address)
            try ConnectionSource.add(try dispatcher(transport), of: context, in: loop) { [self] in finish($0) }
        } catch {
            opened.fulfil(.failure(error))
            finish(error)
        }
    }

    private func finish(_ loss: DBusError?) {
        context.end(loss ?? .disconnected)
        ended.fulfil(loss)
    }

    private func dispatcher(_ transport: sending Transport) throws(DBusError) -> sending ConnectionDispatcher {
        let address = address
        let opened = opened
        let hello = try MethodCall.bus("Hello").message(expectsReply: true)
        let call = PendingCall(context.queue.nextCall(), to: .bus, deadline: .now + timeout) { result in
            opened.fulfil(Self.name(result, address))
        }
        return ConnectionDispatcher(context: context, transport: transport, hello: hello, call)
    }

    private static func name(_ answer: Result<[Value], DBusError>, _ address: String) -> Result<BusName, DBusError> {
        do {
            return .success(try BusName(try answer.get().decode(at: 0, as: String.self)))
        } catch {
            let code = error.code == .timedOut ? error.code : .connectFailed
            return .failure(DBusError(code, "connecting to the bus at \(address) failed: \(error.message)"))
        }
    }
}
