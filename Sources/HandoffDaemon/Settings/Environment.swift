import Glibc

/// Properties of this process and this machine, as the system reports them.
package enum Environment {
    /// The environment variables from which settings are read.
    package static var current: [String: String] {
        let names = [
            "HOME", "PATH", "XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP",
            "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
        ]
        return names.reduce(into: [:]) { variables, name in
            variables[name] = getenv(name).map { String(cString: $0) }
        }
    }

    /// The host name of this machine; empty when it cannot be read.
    package static var hostName: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "" }
        return withUnsafeBytes(of: names.nodename) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
