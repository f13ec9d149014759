/// What the bus knows of a connection (D-Bus specification, "org.freedesktop.DBus.GetConnectionCredentials").
package struct ConnectionCredentials: Sendable {
    /// The id of the process that opened the connection; nil when the bus does not know it.
    package let processID: UInt32?
    /// A pidfd of that process, which cannot come to mean another one; nil when the bus reports none, as before
    /// dbus-daemon 1.15.
    package let process: UnixFD?
    /// The label that a security module of the kernel has given the process; nil when the bus reports none.
    package let securityLabel: String?

    package init(processID: UInt32?, process: UnixFD? = nil, securityLabel: String? = nil) {
        self.processID = processID
        self.process = process
        self.securityLabel = securityLabel
    }

    /// Reads the reply of the bus; what is absent or of another type is nil.
    init(_ entries: [String: Value]) {
        processID = entries["ProcessID"]?.uint32
        if case .unixFD(let descriptor)? = entries["ProcessFD"] { process = descriptor } else { process = nil }
        // The label ends with a NUL.
        securityLabel = entries["LinuxSecurityLabel"]?.bytes.map {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
