import Glibc
import HandoffApps

/// The files of the system that `handoffctl doctor` reads.
struct SystemFiles: Sendable {
    /// The directory of this device's keys.
    struct StateDirectory: Hashable, Sendable {
        var path: String
        var hasIdentity: Bool
        /// The permission bits; nil when there is no directory.
        var mode: UInt32?
        var belongsToUser: Bool
    }

    /// A switch of the kernel that keeps a radio off (Linux Documentation/driver-api/rfkill.rst).
    struct RadioSwitch: Hashable, Sendable {
        let name: String
        let isSoftBlocked: Bool
        let isHardBlocked: Bool
    }

    /// The directory that stands for `/`; another one in tests.
    var root = ""
    /// The environment variables that name directories.
    var environment = Self.environment

    private static var environment: [String: String] {
        [
            "HOME", "PATH", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
        ].reduce(into: [:]) { variables, name in
            variables[name] = getenv(name).map { String(cString: $0) }
        }
    }

    /// Where this device keeps its keys; nil when the environment does not tell.
    var stateDirectory: StateDirectory? {
        guard let path = directory("XDG_STATE_HOME", else: ".local/state") else { return nil }
        var status = stat()
        let exists = stat(root + path, &status) == 0
        return StateDirectory(
            path: path,
            hasIdentity: access("\(root)\(path)/identity", F_OK) == 0,
            mode: exists ? status.st_mode & 0o777 : nil,
            belongsToUser: exists && status.st_uid == getuid()
        )
    }

    /// The switches of the kernel for Bluetooth radios.
    var bluetoothSwitches: [RadioSwitch] {
        names(in: "/sys/class/rfkill").compactMap { name in
            let directory = "/sys/class/rfkill/\(name)"
            guard line("\(directory)/type") == "bluetooth" else { return nil }
            return RadioSwitch(
                name: name,
                isSoftBlocked: line("\(directory)/soft") == "1",
                isHardBlocked: line("\(directory)/hard") == "1"
            )
        }
    }

    /// The number of inotify instances that a user may have.
    var inotifyInstances: Int? { line("/proc/sys/fs/inotify/max_user_instances").flatMap { Int($0) } }

    /// Whether the kernel may suspend an adapter that is idle; nil when it has no such setting.
    func isSuspendedWhenIdle(_ adapter: String) -> Bool? {
        line("/sys/class/bluetooth/\(adapter)/device/../power/control").map { $0 == "auto" }
    }

    /// The desktop file id of the default browser, by the lists that the daemon reads, too.
    var defaultBrowser: String? {
        let directories = AppDirectories(environment: environment)
        return DocumentAppScan(directories: directories, environment: environment)
            .app(for: [DocumentAppScan.webpageType])?.id
    }

    /// Whether there is a file or a directory of that absolute path.
    func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

    /// Whether a program is on the search path.
    func hasProgram(_ name: String) -> Bool {
        (environment["PATH"] ?? "").split(separator: ":").contains { access("\(root)\($0)/\(name)", X_OK) == 0 }
    }

    private func directory(_ variable: String, else place: String) -> String? {
        if let base = environment[variable], base.hasPrefix("/") { return base + "/handoff" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/\(place)/handoff"
    }

    private func names(in directory: String) -> [String] {
        guard let stream = opendir(root + directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns the first line of a file of the kernel; nil when it cannot be read.
    func line(_ path: String) -> String? {
        Self.bytes(of: root + path, upTo: 256).map {
            String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }

    /// Returns the beginning of a file; nil when it is empty or cannot be read.
    static func bytes(of path: String, upTo limit: Int) -> ArraySlice<UInt8>? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? bytes[..<count] : nil
    }
}
