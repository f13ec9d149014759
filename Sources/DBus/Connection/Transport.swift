import CDBus
import Epoll
import Glibc
import SystemPackage

/// A private connection of libdbus, used without any of its blocking calls.
///
/// Confined to one thread at a time.
///
/// Replies are matched and messages are dispatched here, not by libdbus, which only transfers messages. So it requests
/// no time-outs, and its own handlers (which may terminate the process) never run.
final class Transport {
    /// The number of bytes that may wait to be sent before the next message is refused: the maximum message size.
    ///
    /// A working bus reads continuously; one that does not is treated as lost.
    static let maximumOutgoing = BodyLimits.maximumMessage

    private let raw: OpaquePointer
    private let watches: WatchList
    /// A descriptor of our own for the socket: libdbus closes its when the connection is lost, and the loop must never wait
    /// for a number that another descriptor has taken over.
    private let duplicate: Descriptor

    /// Connects to `address`.
    ///
    /// This blocks until the bus accepts the connection; all other methods do not block.
    ///
    /// - Throws: `DBusError` with the code `.invalidAddress`, `.connectFailed` or `.limit`.
    init(address: String) throws(DBusError) {
        // The disposition of SIGPIPE belongs to the program; libdbus writes with MSG_NOSIGNAL.
        dbus_connection_set_change_sigpipe(0)
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let raw = dbus_connection_open_private(address, &error) else {
            throw Self.connectFailure(address, error)
        }
        dbus_connection_set_exit_on_disconnect(raw, 0)
        let watches = WatchList()
        do throws(DBusError) {
            duplicate = try Self.duplicate(of: raw)
            guard watches.install(on: raw) else { throw DBusError.outOfMemory }
        } catch {
            dbus_connection_close(raw)
            dbus_connection_unref(raw)
            throw error
        }
        self.raw = raw
        self.watches = watches
    }

    private static func duplicate(of raw: OpaquePointer) throws(DBusError) -> Descriptor {
        var number: Int32 = -1
        guard dbus_connection_get_unix_fd(raw, &number) != 0 else {
            throw DBusError(.connectFailed, "the bus has no socket, so that it cannot be waited for")
        }
        do {
            return try Descriptor { fcntl(number, F_DUPFD_CLOEXEC, 0) }
        } catch {
            throw DBusError(.limit, "no file descriptor is left for a connection: raise the limit on open files")
        }
    }

    deinit {
        watches.uninstall(from: raw)
        dbus_connection_close(raw)
        dbus_connection_unref(raw)
    }

    private static func connectFailure(_ address: String, _ error: CDBus.DBusError) -> DBusError {
        let reason = error.message.map { String(cString: $0) } ?? "unknown reason"
        let isBad = error.name.map { String(cString: $0) } == "org.freedesktop.DBus.Error.BadAddress"
        return isBad
            ? DBusError(.invalidAddress, "\(address.debugDescription) is not a bus address: \(reason)")
            : DBusError(.connectFailed, "no bus answers at \(address): \(reason)")
    }

    /// A descriptor of the socket, open as long as this object exists.
    var socket: Int32 { duplicate.rawValue }

    /// The events of epoll_ctl(2) for which libdbus waits: those of poll(2) have the same numbers.
    var interest: UInt32 { watches.active.reduce(0) { $0 | UInt32(UInt16(bitPattern: $1.events)) } }

    var isConnected: Bool { dbus_connection_get_is_connected(raw) != 0 }

    var hasMessagesToSend: Bool { dbus_connection_has_messages_to_send(raw) != 0 }

    /// The size of the messages that wait to be sent.
    var outgoingBytes: Int { dbus_connection_get_outgoing_size(raw) }

    var isCongested: Bool { outgoingBytes > Self.maximumOutgoing }

    /// Sends or queues a message, and returns its serial number.
    ///
    /// - Throws: `DBusError` with the code `.limit`, or `.invalidValue` if this bus does not support passing file
    ///   descriptors.
    func send(_ outgoing: OutgoingMessage) throws(DBusError) -> UInt32 {
        if outgoing.carriesDescriptors, dbus_connection_can_send_type(raw, Int32(ValueType.unixFD.code)) == 0 {
            throw DBusError(.invalidValue, "this bus does not support passing file descriptors")
        }
        let message = try MessageEncoder.encode(outgoing)
        var serial: UInt32 = 0
        guard dbus_connection_send(raw, message.raw, &serial) != 0 else { throw .outOfMemory }
        return serial
    }

    /// Returns the next message that has arrived completely; nil if there is none.
    func receive() -> Message? {
        dbus_connection_pop_message(raw).map { Message(taking: $0) }
    }

    /// Lets libdbus read what has arrived by now; returns false when there was nothing.
    func read() -> Bool {
        guard interest & UInt32(POLLIN) != 0 else { return false }
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, 0) > 0, polled.revents & Int16(POLLIN) != 0 else { return false }
        handle(UInt32(UInt16(bitPattern: polled.revents)))
        return true
    }

    /// Lets libdbus read and write, for the events that have occurred.
    func handle(_ events: UInt32) {
        let failures = POLLERR | POLLHUP
        for watch in watches.active {
            let reported = Int32(bitPattern: events) & (Int32(watch.events) | failures)
            if reported != 0 { watches.handle(watch, Int16(truncatingIfNeeded: reported)) }
        }
    }
}
