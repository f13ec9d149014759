/// An app that opens documents of some MIME types, as its desktop file declares it.
package struct DocumentApp: Hashable, Sendable {
    /// How an app gets a document.
    package enum LaunchMethod: Hashable, Sendable {
        /// Through `org.freedesktop.Application` on the bus, which starts the app if it is not running.
        case bus
        /// As an argument of a command line.
        case command(AppCommand)
    }

    /// The desktop file's id without `.desktop`; for an app on the bus also its bus name.
    package let id: String
    /// The MIME types that it declares.
    package private(set) var mediaTypes: Set<String>
    package let launchMethod: LaunchMethod
    /// The command line with which an app on the bus opens a document if the bus cannot start it; nil if it has none.
    package let command: AppCommand?
    /// The program that has to exist for the app to count as installed; nil if the file names none.
    let tryExec: String?

    /// Creates the app that a desktop file declares; nil if it declares none that can get a document.
    ///
    /// - Parameters:
    ///   - id: the desktop file's id, without `.desktop`.
    ///   - entry: the content of the file.
    ///   - file: the path of the file; nil if it is unknown.
    ///   - languages: the locales of ``UserLanguages``.
    package init?(id: String, _ entry: DesktopEntry, file: String? = nil, languages: [String] = []) {
        guard entry.string("Type") == "Application", entry.boolean("Hidden") != true else { return nil }
        do {
            command = try AppCommand(of: entry, file: file, languages: languages)
        } catch {
            return nil
        }
        if entry.boolean("DBusActivatable") == true, Self.isBusName(id) {
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

    /// Whether its program is there, and what else the file says has to be.
    func isInstalled(in programs: SearchPath) -> Bool {
        programs.has(tryExec) && programs.has(command?.line.program)
    }

    /// The app with its types by the names under which they are known.
    func named(by aliases: MediaTypeAliases) -> DocumentApp {
        var app = self
        app.mediaTypes = Set(mediaTypes.map(aliases.name))
        return app
    }

    /// D-Bus Specification, "Valid Names": well-known bus names.
    private static func isBusName(_ text: String) -> Bool {
        let elements = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return elements.count > 1 && text.utf8.count <= 255
            && elements.allSatisfy { element in
                guard let first = element.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
                    return false
                }
                return element.allSatisfy { Self.isInBusName($0) }
            }
    }

    private static func isInBusName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
