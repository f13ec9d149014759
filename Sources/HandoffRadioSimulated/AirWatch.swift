private import CLinux
import Epoll
private import Glibc
import HandoffRadio
import SystemPackage

/// Tells when the file `air` changes (inotify(7)).
///
/// It watches the directory, for most editors replace a file by another of the same name. The stations' files are in a
/// directory of their own and wake nobody.
struct AirWatch {
    private let notifications: ReactorDescriptor

    init(_ directory: AirDirectory, on reactor: Reactor) throws(Errno) {
        let descriptor = try Descriptor { inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)) }
        let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
        _ = try systemCall { inotify_add_watch(descriptor.rawValue, directory.path, events) }
        notifications = try ReactorDescriptor(descriptor, on: reactor)
    }

    /// Waits until something in the directory has changed; false when the task is cancelled.
    func changed() async -> Bool {
        let capacity = 4096
        let notice: [UInt8]? = try? await notifications.whenReady(for: .reading) { descriptor throws(Errno) in
            var bytes = [UInt8](repeating: 0, count: capacity)
            _ = try systemCall { read(descriptor, &bytes, capacity) }
            return bytes
        }
        return notice != nil
    }
}
