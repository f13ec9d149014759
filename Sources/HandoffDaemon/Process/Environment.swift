import Glibc

/// What the system says about this process and this machine.
package enum Environment {
    /// The environment variables that settings can come from.
    package static var current: [String: String] {
        let names = [
            "HOME", "PATH", "STATE_DIRECTORY", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP",
            "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_STATE_HOME",
        ]
        return names.reduce(into: [:]) { variables, name in
            variables[name] = getenv(name).map { String(cString: $0) }
        }
    }

    /// The name of this machine.
    package static var hostName: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "" }
        return withUnsafeBytes(of: names.nodename) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
