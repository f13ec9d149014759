package import HandoffModel

/// An app of this computer that continues activities, as its desktop file declares it.
package struct App: Hashable, Sendable {
    /// How an app gets an activity.
    package enum LaunchMethod: Hashable, Sendable {
        /// Through `org.handoffd.Application1` on the bus, which starts the app if it is not running.
        case bus
        /// A program that reads the activity as JSON from its standard input.
        case program(AppCommand)
        /// A program that gets the URL of the activity's web page or document, or the path of the document, as an
        /// argument.
        case command(AppCommand)
    }

    /// The desktop file's id without `.desktop`; for an app on the bus also its bus name.
    package let id: String
    /// The name of the app, for people.
    package let name: String
    /// The name or path of its icon; nil if it has none.
    package let icon: String?
    /// The activity types that it continues.
    package let types: Set<ActivityType>
    /// The team of the app: it gets only activities of this team, or without a team only activities without one.
    package let teamID: String?
    /// The activity type for documents of a MIME type.
    package let documentTypes: [String: ActivityType]
    /// The domains whose pages it opens, if their sites approve it.
    package let associatedDomains: [AssociatedDomain]
    package let launchMethod: LaunchMethod
    /// Whether its program may wait for something before it goes on with an activity, and then tells by closing its
    /// standard input that it does; only with ``LaunchMethod/program(_:)``.
    package let waits: Bool
    /// The patterns of the titles of the activities that it continues (``NamePattern``); empty for any title.
    package let titles: [String]
    /// The ids of the desktop files of the browser whose windows it stands for; empty for any other app.
    package let browsers: [String]
    /// The command line that starts an app on the bus which the bus cannot start; nil if the file has none.
    package let command: AppCommand?
    /// How it opens documents of the MIME types that it declares; nil if it declares none.
    package let documentApp: DocumentApp?
    /// The program that has to exist for the app to count as installed; nil if the file names none.
    package let tryExec: String?

    /// Creates the app that a desktop file declares; nil if the file declares no activity or document types
    /// and no domains.
    ///
    /// - Parameters:
    ///   - id: the desktop file's id, without `.desktop`.
    ///   - entry: the content of the file.
    ///   - isExported: whether a sandbox has exported the file. It rewrites `Exec`, so that the app runs in it; what it
    ///     does not know it leaves as the app wrote it, so `X-Handoff-Exec` is not a command of this app.
    ///   - file: the path of the file; nil if it is unknown.
    ///   - languages: the locales of ``UserLanguages``.
    /// - Throws: ``AppError`` for the first invalid key.
    package init?(
        id: String,
        _ entry: DesktopEntry,
        isExported: Bool = false,
        file: String? = nil,
        languages: [String] = []
    ) throws(AppError) {
        guard entry.boolean("Hidden") != true else { return nil }
        let types = entry.strings("X-Handoff-ActivityTypes")
        let documents = entry.strings("X-Handoff-DocumentTypes")
        let domains = try Self.associatedDomains(entry)
        guard !types.isEmpty || !documents.isEmpty || !domains.isEmpty else { return nil }
        guard entry.string("Type") == "Application" else {
            throw AppError(key: "Type", "is not Application, but only apps continue activities.")
        }
        guard let name = entry.string("Name") else { throw AppError(key: "Name", "is missing.") }
        self.id = id
        self.name = name
        icon = entry.string("Icon")
        documentTypes = try Self.documentTypes(documents)
        self.types = try Set(Self.types(types)).union(documentTypes.values)
        teamID = try Self.teamID(entry)
        associatedDomains = domains
        let isSandboxed = isExported || entry.string("X-Flatpak") != nil
        let commands = Commands(entry: entry, file: file, languages: languages)
        launchMethod = try Self.parseLaunchMethod(id, entry, commands, isExported: isSandboxed)
        waits = try Self.waits(entry, launchMethod)
        titles = entry.strings("X-Handoff-Titles")
        // A sandboxed app stands for nothing but itself.
        browsers = isSandboxed ? [] : entry.strings("X-Handoff-Browsers")
        command = try? commands.command("Exec")
        let openingApp = DocumentApp(id: id, entry, file: file, languages: languages)
        documentApp = openingApp?.mediaTypes.isEmpty == false ? openingApp : nil
        tryExec = entry.string("TryExec")
    }

    /// Whether it continues activities with that title; nil for one without a title.
    package func continues(title: String?) -> Bool {
        titles.isEmpty || title.map { title in titles.contains { NamePattern($0).matches(title) } } ?? false
    }

    /// Whether it is that browser, or stands for its windows.
    ///
    /// - Parameter browser: the id of the desktop file of a browser; nil for none.
    package func isOrStands(for browser: String?) -> Bool {
        browser.map { $0 == id || browsers.contains($0) } ?? false
    }

    /// Whether it may get activities of that team, or with nil those without a team.
    package func matches(team: String?, type: ActivityType) -> Bool {
        type == .browsingWeb || teamID == team
    }

    private static func types(_ texts: [String]) throws(AppError) -> [ActivityType] {
        var types: [ActivityType] = []
        for text in texts { types.append(try type(text, of: "X-Handoff-ActivityTypes")) }
        return types
    }

    private static func type(_ text: String, of key: String) throws(AppError) -> ActivityType {
        do {
            return try ActivityType(text)
        } catch {
            throw AppError(key: key, error.message)
        }
    }

    private static func documentTypes(_ pairs: [String]) throws(AppError) -> [String: ActivityType] {
        let key = "X-Handoff-DocumentTypes"
        var types: [String: ActivityType] = [:]
        for pair in pairs {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, parts[0].split(separator: "/", omittingEmptySubsequences: false).count == 2 else {
                throw AppError(key: key, "\(pair.debugDescription) is not MIME/TYPE=activity.type.")
            }
            types[parts[0]] = try type(parts[1], of: key)
        }
        return types
    }

    /// The team that a desktop file declares, whether or not the app continues activities; nil if it declares none.
    ///
    /// - Throws: ``AppError`` if it is not a valid team.
    static func teamID(_ entry: DesktopEntry) throws(AppError) -> String? {
        guard let team = entry.string("X-Handoff-TeamID") else { return nil }
        var properties = Activity.Properties()
        properties.teamID = team
        do {
            try _ = Activity(type: .browsingWeb, properties: properties)
        } catch {
            throw AppError(key: "X-Handoff-TeamID", error.message)
        }
        return team
    }

    private static func parseLaunchMethod(
        _ id: String,
        _ entry: DesktopEntry,
        _ commands: Commands,
        isExported: Bool
    ) throws(AppError) -> LaunchMethod {
        guard let isActivatable = entry.boolean("DBusActivatable") else {
            throw AppError(key: "DBusActivatable", "is neither true nor false; write one of the two.")
        }
        if isActivatable || entry.strings("Implements").contains("org.handoffd.Application1") {
            // Desktop Entry Specification, "D-Bus Activation": the file is named like the app on the bus.
            guard id.split(separator: ".", omittingEmptySubsequences: false).count >= 2, !id.includes("..") else {
                throw AppError(
                    key: "DBusActivatable",
                    "requires a file whose name is the bus name of the app, not \(id)."
                )
            }
            return .bus
        }
        if !isExported, let command = try commands.command("X-Handoff-Exec") { return .program(command) }
        if let command = try commands.command("Exec") {
            let opensDocuments = !entry.strings("X-Handoff-DocumentTypes").isEmpty
            if command.line.takesURL || opensDocuments && command.line.takesDocument { return .command(command) }
        }
        guard !isExported else {
            throw AppError(
                key: "X-Handoff-Exec",
                "is not used for an app in a sandbox, outside which the command would run: add DBusActivatable=true or "
                    + "an Exec with %u, so that the app can get activities."
            )
        }
        throw AppError(
            key: "X-Handoff-Exec",
            "is missing, as are DBusActivatable=true and an Exec with %u: add one, so that the app can get activities."
        )
    }

    private static func waits(_ entry: DesktopEntry, _ method: LaunchMethod) throws(AppError) -> Bool {
        let key = "X-Handoff-Waits"
        guard let waits = entry.boolean(key) else {
            throw AppError(key: key, "is neither true nor false; write one of the two.")
        }
        guard !waits || entry.string("X-Handoff-Exec") != nil else {
            throw AppError(key: key, "is only for a program that X-Handoff-Exec names.")
        }
        if case .program = method { return waits }
        return false
    }

    /// The command lines of a file.
    private struct Commands {
        let entry: DesktopEntry
        let file: String?
        let languages: [String]

        /// The command of a key; nil if the file does not have the key.
        func command(_ key: String) throws(AppError) -> AppCommand? {
            do {
                return try AppCommand(key, of: entry, file: file, languages: languages)
            } catch {
                throw AppError(key: key, "is invalid: \(error)")
            }
        }
    }
}

/// The error in a desktop file that declares activity types, document types or domains.
package struct AppError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that names the key and the valid values.
    package let description: String

    init(key: String, _ reason: String) {
        description = "\(key) \(reason)"
    }

    init(_ description: String) {
        self.description = description
    }
}
