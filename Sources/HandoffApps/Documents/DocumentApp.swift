/// An app that opens documents of some MIME types, as its desktop file declares it.
package struct DocumentApp: Hashable, Sendable {
    /// How an app gets a document.
    package enum LaunchMethod: Hashable, Sendable {
        /// Through `org.freedesktop.Application` on the bus, which starts the app if it is not running.
        case bus
        /// As an argument of a command line.
        case command(ExecLine)
    }

    /// The desktop file's id without `.desktop`; for an app on the bus also its bus name.
    package let id: String
    /// The MIME types that it declares.
    package let mediaTypes: Set<String>
    package let launchMethod: LaunchMethod
    /// The command line with which an app on the bus opens a document if the bus cannot start it; nil if it has none.
    package let command: ExecLine?
    /// The program that has to exist for the app to count as installed; nil if the file names none.
    let tryExec: String?

    /// Creates the app that a desktop file declares; nil if it declares none that can get a document.
    ///
    /// Apps that run in a terminal are not supported: the terminal that the user prefers is unknown.
    package init?(id: String, _ entry: DesktopEntry) {
        guard entry.string("Type") == "Application", entry.boolean("Hidden") != true, entry.boolean("Terminal") != true
        else { return nil }
        command = entry.string("Exec").flatMap { try? ExecLine($0) }
        if entry.boolean("DBusActivatable") == true, id.contains(".") {
            launchMethod = .bus
        } else if let command {
            launchMethod = .command(command)
        } else {
            return nil
        }
        self.id = id
        mediaTypes = Set(entry.strings("MimeType"))
        tryExec = entry.string("TryExec")
    }
}
