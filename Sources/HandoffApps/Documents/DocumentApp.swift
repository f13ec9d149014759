/// An app that opens documents of some MIME types, as its desktop file says.
package struct DocumentApp: Hashable, Sendable {
    /// How an app is given a document.
    package enum LaunchMethod: Hashable, Sendable {
        /// Through `org.freedesktop.Application` on the bus, where it is started if need be.
        case bus
        /// By a command line.
        case command(ExecLine)
    }

    /// The desktop file's id without `.desktop`; for an app on the bus its name there, too.
    package let id: String
    /// The MIME types that it says it opens.
    package let mediaTypes: Set<String>
    package let launchMethod: LaunchMethod
    /// The program that has to exist for the app to count as installed; nil where it says none.
    let tryExec: String?

    /// The app that a desktop file declares; nil where it declares none that can be given a document.
    ///
    /// An app that runs in a terminal is none: nobody knows which terminal the person wants.
    package init?(id: String, _ entry: DesktopEntry) {
        guard entry.string("Type") == "Application", entry.boolean("Hidden") != true, entry.boolean("Terminal") != true
        else { return nil }
        if entry.boolean("DBusActivatable") == true, id.contains(".") {
            launchMethod = .bus
        } else if let line = entry.string("Exec"), let command = try? ExecLine(line) {
            launchMethod = .command(command)
        } else {
            return nil
        }
        self.id = id
        mediaTypes = Set(entry.strings("MimeType"))
        tryExec = entry.string("TryExec")
    }
}
