package import HandoffModel

/// What a desktop file says of how its program is run.
package struct AppCommand: Hashable, Sendable {
    package let line: ExecLine
    /// The path of the directory in which it runs; nil for that of whoever starts it.
    let directory: String?
    /// Whether it runs in the window of a terminal.
    let isForTerminal: Bool
    /// Whether `%u` is to be the address of a document.
    let takesAddresses: Bool
    /// The path of the desktop file; nil if it is unknown.
    let file: String?

    /// Creates the command of a desktop file; nil if it has none.
    ///
    /// - Parameters:
    ///   - key: the key that has the command line. Only `Exec` is run in a terminal: what another one names has a standard
    ///     input of its own.
    ///   - entry: the content of the file.
    ///   - file: the path of the file; nil if it is unknown.
    ///   - languages: the languages of the name that `%c` stands for, as of ``UserLanguages``.
    /// - Throws: `ExecLine.SyntaxError` when the command line is invalid.
    package init?(
        _ key: String = "Exec",
        of entry: DesktopEntry,
        file: String? = nil,
        languages: [String] = []
    ) throws(ExecLine.SyntaxError) {
        guard let exec = entry.string(key) else { return nil }
        let labels = ExecLine.Labels(
            name: entry.string("Name", in: languages),
            icon: entry.string("Icon", in: languages),
            file: file
        )
        line = try ExecLine(exec, labels: labels)
        directory = entry.string("Path")
        isForTerminal = key == "Exec" && entry.boolean("Terminal") == true
        takesAddresses = entry.boolean("X-GIO-NoFuse") == true
        self.file = file
    }
}

/// A program that is to be started, with all that its desktop file says of how.
package struct AppLaunch: Hashable, Sendable {
    /// The program and its arguments.
    package let arguments: [String]
    /// The absolute path of its directory; nil for that of whoever starts it.
    package let directory: String?
    /// The variables that are added to its environment.
    package let environment: [String: String]

    package init(arguments: [String], directory: String? = nil, environment: [String: String] = [:]) {
        (self.arguments, self.directory, self.environment) = (arguments, directory, environment)
    }
}

/// Why a command cannot be run.
package enum AppLaunchError: Error, Hashable, Sendable {
    /// The name of the document is not UTF-8, and the program takes only names.
    case unnamable
    /// The program runs in a terminal, and none is installed.
    case noTerminal
}

/// What of the user's session matters for how apps are started.
package struct AppLauncher: Sendable {
    let programs: SearchPath
    private let home: String?
    let languages: [String]

    /// - Parameter environment: the variables `HOME` and `PATH`, and those of ``UserLanguages``.
    package init(environment: [String: String]) {
        // What posix_spawnp(3) takes without the variable, and local programs.
        programs = SearchPath(environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
        home = environment["HOME"]
        languages = UserLanguages(environment).locales
    }

    /// How a command is run with a web page, or without anything to open.
    ///
    /// - Parameters:
    ///   - command: what is run.
    ///   - url: the address of the page; nil for none.
    /// - Throws: ``AppLaunchError``.
    package func launch(_ command: AppCommand, url: String? = nil) throws(AppLaunchError) -> AppLaunch {
        try launch(command, with: command.line.arguments(url: url))
    }

    /// How a command is run with a document.
    ///
    /// - Throws: ``AppLaunchError``.
    package func launch(_ command: AppCommand, opening document: FileURL) throws(AppLaunchError) -> AppLaunch {
        guard let arguments = command.line.arguments(opening: document, asURL: command.takesAddresses) else {
            throw .unnamable
        }
        return try launch(command, with: arguments)
    }

    private func launch(_ command: AppCommand, with arguments: [String]) throws(AppLaunchError) -> AppLaunch {
        var words = arguments
        if command.isForTerminal {
            guard let terminal = Terminal.installed(in: programs) else { throw .noTerminal }
            words = [terminal.program] + terminal.options + arguments
        }
        // GLib tells a program so which app it is, by the same name.
        let environment = command.file.map { ["GIO_LAUNCHED_DESKTOP_FILE": $0] } ?? [:]
        return AppLaunch(arguments: words, directory: command.directory.map(absolute), environment: environment)
    }

    /// A relative path counts from the home directory, where a desktop and what it starts run.
    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : (home ?? "") + "/" + path
    }
}
