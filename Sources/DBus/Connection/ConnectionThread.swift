import AsyncSupport
import CLinux
import Glibc
import Synchronization

/// The thread to which one connection of libdbus is confined.
final class ConnectionThread: Sendable {
    let context: ConnectionContext
    private let address: String
    /// The time limit for the bus to answer Hello.
    private let timeout: Duration
    private let opened = Promise<Result<BusName, DBusError>>()
    private let ended = Promise<DBusError?>()
    /// Whether the thread may be inside libdbus's `connect`, which cannot be interrupted.
    private let isConnecting = Atomic(true)

    init(address: BusAddress, timeout: Duration) throws(DBusError) {
        self.timeout = timeout
        self.address = try address.resolved()
        context = try ConnectionContext()
    }

    // MARK: For the task that owns the connection

    /// Starts the thread and waits until the bus has assigned the unique name of the connection.
    ///
    /// If this throws, the thread has ended, unless it blocks in `connect`; then it ends when that returns.
    ///
    /// - Throws: `DBusError` with the code `.invalidAddress`, `.connectFailed`, `.timedOut` or `.cancelled`.
    func open() async throws(DBusError) -> (name: BusName, thread: pthread_t) {
        let thread = try start()
        let result = await openingResult()
        do {
            return (try result.get(), thread)
        } catch {
            context.queue.push(.stop)
            if isConnecting.load(ordering: .acquiring) { pthread_detach(thread) } else { _ = await join(thread) }
            throw error
        }
    }

    /// Waits until the thread has ended; returns the reason why the connection was lost, or nil if it was stopped.
    func join(_ thread: pthread_t) async -> DBusError? {
        let loss = await ended.valueIgnoringCancellation()
        // The thread only has to return now, so this does not block for long.
        pthread_join(thread, nil)
        return loss
    }

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

    private func start() throws(DBusError) -> pthread_t {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let failure = pthread_create(&thread, nil, runThread, context.toOpaque())
        guard failure == 0 else {
            context.release()
            throw DBusError(.limit, "no thread can be started for a connection: raise the limit on processes")
        }
        return thread
    }

    // MARK: On the thread

    fileprivate func run() {
        let loss = loop()
        context.end(loss ?? .disconnected)
        ended.fulfil(loss)
    }

    private func loop() -> DBusError? {
        do {
            defer { isConnecting.store(false, ordering: .releasing) }
            return try connectedLoop().run()
        } catch {
            opened.fulfil(.failure(error))
            return error
        }
    }

    private func connectedLoop() throws(DBusError) -> ConnectionLoop {
        let transport = try Transport(address: address)
        isConnecting.store(false, ordering: .releasing)
        let address = address
        let opened = opened
        let hello = try MethodCall.bus("Hello").message(expectsReply: true)
        let call = PendingCall(context.queue.nextCall(), to: .bus, deadline: .now + timeout) { result in
            opened.fulfil(Self.name(result, address))
        }
        return ConnectionLoop(context: context, transport: transport, hello: hello, call)
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

/// The entry point of the thread; blocks all signals, which the other threads of the process handle.
private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    _ = handoff_name_thread("bus")
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, nil)
    Unmanaged<ConnectionThread>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
