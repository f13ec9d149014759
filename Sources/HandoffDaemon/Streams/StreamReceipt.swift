import Epoll
import HandoffCore
import Synchronization
import SystemPackage

/// Whether the app at this end of a stream has taken everything, and what it is told of the app at the other end.
///
/// An app that uses receipts says so itself. Of any other one it is not known, and what was passed to its socket counts.
final class StreamReceipt: Sendable {
    /// How an app has finished writing.
    enum AppEnd: Sendable {
        case withoutReceipts, withReceipts
    }

    private enum State {
        /// The app does not use receipts; until it has finished writing, it may begin to.
        case unused(hasFinished: Bool)
        case used(ReceiptSocket, hasFinished: Bool)
    }

    private let state = Mutex(State.unused(hasFinished: false))

    /// How the app has finished writing; nil until it has.
    var appEnd: AppEnd? {
        state.withLock { state in
            switch state {
            case .unused(hasFinished: true): .withoutReceipts
            case .used(_, hasFinished: true): .withReceipts
            case .unused(hasFinished: false), .used(_, hasFinished: false): nil
            }
        }
    }

    /// Begins the use of receipts.
    ///
    /// - Returns: the app's end of the connection over which they are given; nil if the app has finished writing, or
    ///   uses them already.
    /// - Throws: `Errno` of socketpair(2).
    func begin(on reactor: Reactor) throws(Errno) -> CInt? {
        try state.withLock { (state: inout State) throws(Errno) -> CInt? in
            guard case .unused(hasFinished: false) = state else { return nil }
            let (near, far) = try ReceiptSocket.connected(on: reactor)
            state = .used(near, hasFinished: false)
            return far
        }
    }

    /// Records that the app has finished writing.
    func appHasFinished() {
        state.withLock { state in
            switch state {
            case .unused: state = .unused(hasFinished: true)
            case .used(let socket, _): state = .used(socket, hasFinished: true)
            }
        }
    }

    /// Waits until the app says that it has everything; returns at once for an app that does not use receipts.
    ///
    /// - Throws: ``HandoffError`` with `appFailed` when it leaves the stream without having said so; `Errno` with
    ///   `ECANCELED` when the task is cancelled.
    func whenTaken() async throws {
        guard let socket else { return }
        guard try await socket.receive() else {
            throw HandoffError(.appFailed, "The app has left the stream before it had all of it.")
        }
    }

    /// Tells the app, if it uses receipts, that the other app has everything that this one wrote.
    func confirm() {
        // An app that does not wait for it has closed its end.
        try? socket?.send()
    }

    /// Ends the use of receipts: an app that was told nothing learns that it will not be.
    func close() {
        socket?.close()
    }

    private var socket: ReceiptSocket? {
        state.withLock { if case .used(let socket, _) = $0 { socket } else { nil } }
    }
}
