import SystemPackage

/// Where messages for the developer of an app go.
struct Diagnostics: Sendable {
    /// Writes one message.
    let write: @Sendable (String) -> Void

    /// Standard error, which for an app that the desktop has started is the journal.
    static let standardError = Diagnostics { message in
        // Without a standard error there is nobody to tell.
        _ = try? FileDescriptor.standardError.writeAll("HandoffKit: \(message)\n".utf8)
    }
}
