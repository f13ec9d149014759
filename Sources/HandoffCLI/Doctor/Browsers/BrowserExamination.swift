import DBus
import HandoffApps
import HandoffBrowser

/// Reads how the browsers of this computer are installed and connected; changes nothing.
struct BrowserExamination: Sendable {
    /// The bus, as on the command line.
    let bus: String
    var files = SystemFiles()

    /// Returns what is known of each browser.
    func facts() async -> [BrowserFacts] {
        let owned = await connected()
        let environment = files.environment
        let directories = AppDirectories(environment: environment)
        let scan = DocumentAppScan(directories: directories, environment: environment)
        let standard = scan.app(for: [DocumentAppScan.webpageType])?.id
        return Browser.allCases.map { browser in
            BrowserFacts(
                browser: browser,
                packages: packages(of: browser),
                manifest: manifest(of: browser),
                isDefault: standard.map(browser.desktopFiles.contains) ?? false,
                isConnected: owned.contains(browser)
            )
        }
    }

    /// The browsers whose host is on the bus; none without a bus.
    private func connected() async -> Set<Browser> {
        let address = BusAddress(argument: bus)
        let owned = try? await Connection.withConnection(to: address) { connection in
            var owned: Set<Browser> = []
            for browser in Browser.allCases {
                guard let name = try? BusName(browser.application) else { continue }
                if try await connection.owner(of: name) != nil { owned.insert(browser) }
            }
            return owned
        }
        return owned ?? []
    }

    private func packages(of browser: Browser) -> [BrowserFacts.Package] {
        var packages: [BrowserFacts.Package] = []
        // A Snap is on the search path, too: Ubuntu's own program firefox only starts it.
        let hasSnap = browser.snap.map { files.exists("/snap/bin/\($0)") } ?? false
        if !hasSnap, browser.programs.contains(where: files.hasProgram) { packages.append(.system) }
        if hasSnap { packages.append(.snap) }
        let own = files.environment["HOME"].map { "\($0)/.local/share/flatpak/app/\(browser.flatpak)" }
        if (["/var/lib/flatpak/app/\(browser.flatpak)"] + [own].compactMap(\.self)).contains(where: files.exists) {
            packages.append(.flatpak)
        }
        return packages
    }

    private func manifest(of browser: Browser) -> String? {
        let own = BrowserDirectories(environment: files.environment)?.files(of: browser, host: "") ?? []
        // The host's path is in the content only.
        let system = InstalledFile.systemFiles(of: browser, data: "/usr/share", host: "")
        return (own + system).map(\.path).first { $0.hasSuffix("/\(InstalledFile.hostName).json") && files.exists($0) }
    }
}
