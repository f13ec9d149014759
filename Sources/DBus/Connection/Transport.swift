import CDBus
import Glibc

/// A private connection of libdbus, used without any of its blocking calls.
///
/// Confined to the connection's thread.
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

    /// Connects to `address`.
    ///
    /// This blocks until the bus accepts the connection; all other methods but ``wait(wake:milliseconds:)`` do not
    /// block.
    ///
    /// - Throws: `DBusError` with the code `.invalidAddress` or `.connectFailed`.
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
        guard watches.install(on: raw) else {
            dbus_connection_close(raw)
            dbus_connection_unref(raw)
            throw .outOfMemory
        }
        self.raw = raw
        self.watches = watches
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

    var isConnected: Bool { dbus_connection_get_is_connected(raw) != 0 }

    var hasMessagesToSend: Bool { dbus_connection_has_messages_to_send(raw) != 0 }

    var isCongested: Bool { dbus_connection_get_outgoing_size(raw) > Self.maximumOutgoing }

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
        let active = watches.active
        var polled = active.map { pollfd(fd: $0.descriptor, events: $0.events & Int16(POLLIN), revents: 0) }
        guard poll(&polled, nfds_t(polled.count), 0) > 0 else { return false }
        var hasRead = false
        for (watch, result) in zip(active, polled) where result.revents & Int16(POLLIN) != 0 {
            watches.handle(watch, result.revents)
            hasRead = true
        }
        return hasRead
    }

    /// Waits until libdbus has to read or write, `wake` is readable, or `milliseconds` (-1: no limit) have passed; then
    /// lets libdbus read and write.
    func wait(wake: Int32, milliseconds: Int32) {
        let active = watches.active
        var polled = active.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        polled.append(pollfd(fd: wake, events: Int16(POLLIN), revents: 0))
        guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return }
        for (watch, result) in zip(active, polled) where result.revents != 0 {
            watches.handle(watch, result.revents)
        }
    }
}
