import HandoffBrowser

/// Where the user's browsers and the desktop look for files.
struct BrowserDirectories: Hashable, Sendable {
    let home: String
    /// `XDG_DATA_HOME`, or its default.
    let data: String
    /// `XDG_CONFIG_HOME`, or its default.
    let configuration: String

    /// - Returns: nil if the environment names no home directory.
    init?(environment: [String: String]) {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        // Relative paths have to be ignored (XDG Base Directory Specification).
        let directory = { (variable: String, place: String) in
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/\(place)"
        }
        self.home = home
        data = directory("XDG_DATA_HOME", ".local/share")
        configuration = directory("XDG_CONFIG_HOME", ".config")
    }

    /// The user's files for a browser.
    func files(of browser: Browser, host: String) -> [InstalledFile] {
        InstalledFile.files(of: browser, home: home, data: data, configuration: configuration, host: host)
    }
}
