import CDBus
import Glibc

/// The watches of libdbus on its socket.
///
/// Confined to one thread at a time.
///
/// libdbus calls the callbacks with its lock held, so they only record the watches.
final class WatchList {
    /// What libdbus waits for.
    struct Watch {
        fileprivate let raw: OpaquePointer
        let events: Int16
    }

    private var all: [OpaquePointer] = []

    /// Starts recording the watches of the connection; returns false if memory ran out.
    ///
    /// This object has to exist until `uninstall` is called.
    func install(on connection: OpaquePointer) -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        return dbus_connection_set_watch_functions(connection, addWatch, removeWatch, { _, _ in }, context, nil) != 0
    }

    func uninstall(from connection: OpaquePointer) {
        _ = dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    }

    /// The watches that are enabled.
    var active: [Watch] {
        all.filter { dbus_watch_get_enabled($0) != 0 }.map { raw in
            let flags = dbus_watch_get_flags(raw)
            let reads = flags & DBUS_WATCH_READABLE.rawValue != 0 ? POLLIN : 0
            let writes = flags & DBUS_WATCH_WRITABLE.rawValue != 0 ? POLLOUT : 0
            return Watch(raw: raw, events: Int16(reads | writes))
        }
    }

    /// Passes the events that have occurred to libdbus, unless it has removed the watch since.
    func handle(_ watch: Watch, _ reported: Int16) {
        guard all.contains(watch.raw), dbus_watch_get_enabled(watch.raw) != 0 else { return }
        let meaning: [(Int32, DBusWatchFlags)] = [
            (POLLIN, DBUS_WATCH_READABLE), (POLLOUT, DBUS_WATCH_WRITABLE),
            (POLLERR | POLLNVAL, DBUS_WATCH_ERROR), (POLLHUP, DBUS_WATCH_HANGUP),
        ]
        let flags = meaning.reduce(0 as UInt32) { flags, pair in
            Int32(reported) & pair.0 != 0 ? flags | pair.1.rawValue : flags
        }
        // False means that memory ran out; the same events are reported again, so nothing is lost.
        _ = dbus_watch_handle(watch.raw, flags)
    }

    fileprivate func add(_ watch: OpaquePointer) {
        all.append(watch)
    }

    fileprivate func remove(_ watch: OpaquePointer) {
        all.removeAll { $0 == watch }
    }
}

private func addWatch(_ watch: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> dbus_bool_t {
    guard let watch, let context else { return 0 }
    Unmanaged<WatchList>.fromOpaque(context).takeUnretainedValue().add(watch)
    return 1
}

private func removeWatch(_ watch: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
    guard let watch, let context else { return }
    Unmanaged<WatchList>.fromOpaque(context).takeUnretainedValue().remove(watch)
}
