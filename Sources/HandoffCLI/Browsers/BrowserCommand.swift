import ArgumentParser
import HandoffBrowser

/// `handoffctl browser`: connects the user's browsers with the extension, and shows whether they are.
struct BrowserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browser",
        abstract: "Make browsers find the host of the extension.",
        discussion: """
            The Debian package has done this for all users. Without it, `install` writes
            the files by which your browsers find handoff-browser-host, and `uninstall`
            removes them; the extension itself is added in the browser (Docs/Browsers.md).
            """,
        subcommands: [BrowserStatus.self, InstallBrowser.self, UninstallBrowser.self],
        defaultSubcommand: BrowserStatus.self
    )

    @OptionGroup var options: GlobalOptions

    /// `handoffctl browser status`.
    struct BrowserStatus: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show which browsers are here, and whether they are connected."
        )

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let facts = await BrowserExamination(bus: options.bus).facts().filter { $0.isInstalled || $0.isConnected }
            try options.output.print(facts.map(BrowserDocument.init), Self.text(facts))
        }

        private static func text(_ facts: [BrowserFacts]) -> String {
            guard !facts.isEmpty else { return "no browser was found for which there is an extension" }
            var table = Table("BROWSER", "INSTALLED AS", "HOST", "EXTENSION")
            for facts in facts {
                table.append(
                    facts.browser.name + (facts.isDefault ? " (default)" : ""),
                    facts.packages.map(\.rawValue).joined(separator: ", "),
                    facts.manifest.map(printable) ?? "not found; see `handoffctl browser install`",
                    facts.isConnected ? "connected" : "not connected"
                )
            }
            return ([table.text] + facts.compactMap(BrowserDiagnosis.problem)).joined(separator: "\n")
        }
    }

    /// `handoffctl browser install`.
    struct InstallBrowser: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install",
            abstract: "Write the files by which browsers find the host.",
            usage: "handoffctl browser install [<options>] [<browsers> ...]"
        )

        @OptionGroup var options: GlobalOptions
        @OptionGroup var places: BrowserPlaces

        func run() async throws {
            let output = options.output
            do {
                try places.check()
                let files = try await places.files(bus: options.bus)
                for file in files { try FileWriter.write(file) }
                try output.print(files.map(\.path), files.map { "wrote \(printable($0.path))" }.joined(separator: "\n"))
            } catch {
                throw output.failure(error)
            }
        }
    }

    /// `handoffctl browser uninstall`.
    struct UninstallBrowser: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "uninstall",
            abstract: "Remove these files.",
            usage: "handoffctl browser uninstall [<options>] [<browsers> ...]"
        )

        @OptionGroup var options: GlobalOptions
        @OptionGroup var places: BrowserPlaces

        func run() async throws {
            let output = options.output
            do {
                let files = try places.files(of: places.browsers.isEmpty ? Browser.allCases : places.browsers)
                let removed = try files.filter { try FileWriter.remove($0) }.map(\.path)
                let lines = removed.map { "removed \(printable($0))" }
                try output.print(removed, lines.isEmpty ? "nothing to remove" : lines.joined(separator: "\n"))
            } catch {
                throw output.failure(error)
            }
        }
    }
}

extension Browser: ExpressibleByArgument {}

/// A browser as `handoffctl browser status --json` prints it.
struct BrowserDocument: Encodable {
    let browser: String
    let name: String
    /// `system`, `snap` or `flatpak`.
    let installed: [BrowserFacts.Package]
    /// The file by which it finds the host; nil if there is none.
    let manifest: String?
    let isDefault: Bool
    let connected: Bool
    /// Why the extension does not work in it; nil if nothing is known to prevent it.
    let problem: String?

    private enum CodingKeys: String, CodingKey {
        case browser, name, installed, manifest, connected, problem
        case isDefault = "default"
    }

    init(_ facts: BrowserFacts) {
        browser = facts.browser.rawValue
        name = facts.browser.name
        installed = facts.packages
        manifest = facts.manifest
        isDefault = facts.isDefault
        connected = facts.isConnected
        problem = BrowserDiagnosis.problem(with: facts)
    }
}
