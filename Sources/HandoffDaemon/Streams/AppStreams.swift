import DBus
import Epoll
import HandoffBus
import Synchronization
import SystemPackage

/// The streams of apps that are open: makes them, and finds one by the end that its app has.
final class AppStreams: Sendable {
    /// This daemon's end of an app's stream.
    struct End: Sendable {
        let socket: LocalStream
        let receipt: StreamReceipt
    }

    private struct Entry {
        weak var receipt: StreamReceipt?
    }

    private let reactor: Reactor
    private let entries = Mutex<[SocketCookie: Entry]>([:])

    init(on reactor: Reactor) {
        self.reactor = reactor
    }

    /// Makes a stream: this daemon's end, and that for the app.
    ///
    /// Only the app may keep its end: otherwise its closing would not be noticed.
    ///
    /// - Throws: `Errno`, `ECANCELED` when the task is cancelled.
    func connect() async throws(Errno) -> (end: End, forApp: UnixFD) {
        let pair = try await LocalStreamPair.connected(on: reactor)
        let (cookie, receipt) = (try pair.farCookie(), StreamReceipt())
        let file = UnixFD(taking: try pair.duplicateFar())
        entries.withLock { entries in
            entries = entries.filter { $0.value.receipt != nil }
            entries[cookie] = Entry(receipt: receipt)
        }
        return (End(socket: pair.takeNear(), receipt: receipt), file)
    }

    /// Begins the use of receipts for the stream of which `file` is the app's end; returns the app's end of the connection
    /// over which they are given.
    ///
    /// Whoever has the end of a stream may do so: it is passed on only to those who use the stream.
    ///
    /// - Throws: `DBusError` with `NoSuchStream` when `file` is no open stream, or its app has finished writing.
    func beginReceipts(of file: UnixFD) throws -> UnixFD {
        let cookie = try? file.withFileDescriptor { number throws(Errno) in try SocketCookie(of: number) }
        let receipt = entries.withLock { entries in cookie.flatMap { entries[$0]?.receipt } }
        guard let receipt else {
            throw HandoffErrorName.noSuchStream.reply("This is no stream of handoffd, or it has ended or broken.")
        }
        guard let number = try receipt.begin(on: reactor) else {
            throw HandoffErrorName.noSuchStream.reply(
                "The stream has its receipts already, or has been finished: call ConfirmStream once, before finishing."
            )
        }
        return UnixFD(taking: number)
    }
}
