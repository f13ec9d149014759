import Epoll
import Foundation
import HandoffApps
import HandoffModel
import SystemPackage
import TestLimits
import Testing

@Suite("One of the apps that claim a type gets the activity", .endsWithin(minutes: 10))
struct AppRegistryTests {
    private static func app(_ id: String, _ lines: String) throws -> App {
        try #require(try App(id: id, DesktopEntry("[Desktop Entry]\nType=Application\nName=\(id)\n" + lines)))
    }

    private static let claim = "X-Handoff-ActivityTypes=org.example.edit;\n"

    private static func registry() throws -> AppRegistry {
        try AppRegistry(apps: [
            app("org.example.Viewer", claim + "Exec=viewer %u"),
            app("org.example.A", claim + "DBusActivatable=true\nX-Handoff-TeamID=one"),
            app("org.example.B", claim + "DBusActivatable=true"),
        ])
    }

    @Test("Team, web page, the user's default and the order select the first app that gets an activity")
    func choice() throws {
        var registry = try Self.registry()
        let type = try ActivityType("org.example.edit")
        let chosen = { (registry: AppRegistry, team: String?, page: String?) throws -> String in
            let url = try page.map { text in try WebpageURL(text) }
            let activity = try Activity(type: type, webpageURL: url, teamID: team)
            return registry.recipients(of: activity).first?.id ?? "none"
        }
        #expect(try chosen(registry, nil, nil) == "org.example.B")
        #expect(try chosen(registry, nil, "https://example.org") == "org.example.Viewer")
        #expect(try chosen(registry, "one", "https://example.org") == "org.example.A")
        #expect(try chosen(registry, "two", "https://example.org") == "none")
        #expect(try chosen(registry, "two", nil) == "none")
        registry.defaults[type] = "org.example.B"
        #expect(try chosen(registry, nil, "https://example.org") == "org.example.B")
        #expect(registry.launchTarget(for: nil, hasWebpage: true) == .browser)
        #expect(registry.launchTarget(for: nil, hasWebpage: false) == .none)
    }

    @Test("Of an advertisement the app of its team is named, and none that continues certain titles only")
    func teams() throws {
        let type = try ActivityType("org.example.edit")
        let registry = try AppRegistry(apps: [
            Self.app("org.example.Titled", Self.claim + "DBusActivatable=true\nX-Handoff-Titles=*invoice*"),
            Self.app("org.example.A", Self.claim + "DBusActivatable=true\nX-Handoff-TeamID=one"),
            Self.app("org.example.B", Self.claim + "DBusActivatable=true"),
        ])
        let named = [nil, "one", "two"].map { team in
            registry.launchTarget(for: ActivityKind(type, team: team), hasWebpage: false)
        }
        #expect(named == [.app(registry.apps[2]), .app(registry.apps[1]), .none])
        #expect(registry.kinds == [ActivityKind(type, team: nil), ActivityKind(type, team: "one")])
        let titled = AppRegistry(apps: [registry.apps[0]])
        #expect(titled.launchTarget(for: ActivityKind(type, team: nil), hasWebpage: true) == .browser)
    }

    @Test("A document is a launch target after apps and web page, and makes a program for documents one")
    func documents() throws {
        var registry = try AppRegistry(apps: [
            Self.app("reader", Self.claim + "X-Handoff-DocumentTypes=text/plain=org.example.edit;\nExec=reader %f")
        ])
        let type = try ActivityType("org.example.edit")
        let kind = ActivityKind(type, team: nil)
        #expect(registry.launchTarget(for: kind, hasWebpage: false, hasDocument: true) == .app(registry.apps[0]))
        #expect(registry.launchTarget(for: kind, hasWebpage: false, hasDocument: false) == .none)
        #expect(registry.launchTarget(for: kind, hasWebpage: true, hasDocument: false) == .browser)
        registry = AppRegistry()
        #expect(registry.launchTarget(for: nil, hasWebpage: true, hasDocument: true) == .browser)
        #expect(registry.launchTarget(for: nil, hasWebpage: false, hasDocument: true) == .document)
        let userInfo = [Activity.documentURLKey: UserInfoValue.url("file:///a.txt")]
        #expect(registry.recipients(of: try Activity(type: type, userInfo: userInfo)).isEmpty)
    }

    @Test(
        "An app that names the title comes before those of any title, after the user's default, and gets no other title"
    )
    func titles() throws {
        var registry = try AppRegistry(apps: [
            Self.app("any", Self.claim + "X-Handoff-Exec=true"),
            Self.app("invoices", Self.claim + "X-Handoff-Exec=true\nX-Handoff-Titles=Invoice *;Rechnung ?;"),
        ])
        let type = try ActivityType("org.example.edit")
        let ids = { (registry: AppRegistry, title: String?) throws in
            registry.recipients(of: try Activity(type: type, title: title)).map(\.id)
        }
        #expect(try ids(registry, "Invoice 12") == ["invoices", "any"])
        #expect(try ids(registry, "Rechnung 1") == ["invoices", "any"])
        #expect(try ids(registry, "Letter") == ["any"])
        #expect(try ids(registry, nil) == ["any"])
        registry.defaults[type] = "any"
        #expect(try ids(registry, "Invoice 12") == ["any", "invoices"])
    }

    @Test("Of several browsers that claim web browsing, the default browser comes first, after the user's choice")
    func browsers() throws {
        let claim = "X-Handoff-ActivityTypes=NSUserActivityTypeBrowsingWeb;\nExec=browser %u\n"
        var registry = try AppRegistry(apps: [Self.app("a", claim), Self.app("b", claim), Self.app("c", claim)])
        let ids = { (registry: AppRegistry) in registry.claimants(of: .browsingWeb).map(\.id) }
        #expect(ids(registry) == ["a", "b", "c"])
        #expect(registry.browser == nil)
        registry.browserID = "b"
        #expect(ids(registry) == ["b", "a", "c"])
        #expect(registry.browser?.id == "b")
        registry.defaults[.browsingWeb] = "c"
        #expect(ids(registry) == ["c", "b", "a"])
        registry.browserID = "other"
        #expect(registry.browser == nil, "it continues no activities")
    }

    @Test("Desktop files are found below their directories, hide those of later ones, and are reported if invalid")
    func scan() throws {
        try withDirectory { directory in
            let file = { (path: String, lines: String) throws in
                let url = directory.appending(path: path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(("[Desktop Entry]\nType=Application\nName=N\n" + lines).utf8).write(to: url)
            }
            let usable = Self.claim + "X-Handoff-Exec=true"
            try file("a/sub/x.desktop", usable)
            try file("a/hidden.desktop", "Hidden=true\n" + usable)
            try file("b/hidden.desktop", usable)
            try file("b/absent.desktop", usable + "\nTryExec=no-such-program-at-all")
            try file("b/broken.desktop", "X-Handoff-ActivityTypes=x")
            try file("b/other.desktop", "nonsense")
            try file("b/origin.desktop", "X-Handoff-TeamID=one")
            try file("b/wrong.desktop", "X-Handoff-TeamID=one two")
            let paths = ["a", "nowhere", "b"].map { directory.appending(path: $0).path() }
            let scan = AppScan(directories: AppDirectories(paths: paths), environment: ["PATH": "/usr/bin:/bin"])
            let registry = scan.registry()
            #expect(registry.apps.map(\.id) == ["sub-x"])
            let faulty = ["broken", "wrong"].map { directory.appending(path: "b/\($0).desktop").path() }
            #expect(registry.faults.map(\.file) == faulty)
            #expect(registry.teams == ["origin": "one"], "an app that only publishes activities has a team, too")
        }
    }

    @Test("An app's team is that of its own file in the first directory that has one")
    func ownTeam() throws {
        try withDirectory { directory in
            let files = [
                "a/org.example.A": "X-Handoff-TeamID=org.example", "b/org.example.A": "X-Handoff-TeamID=other",
                "b/org.example.B": "Name=B", "b/org.example.C": "X-Handoff-TeamID=not a team",
            ]
            for (path, line) in files {
                let url = directory.appending(path: path + ".desktop")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data("[Desktop Entry]\n\(line)\n".utf8).write(to: url)
            }
            let directories = AppDirectories(paths: ["a", "b"].map { directory.appending(path: $0).path() })
            let teams = ["A", "B", "C", "D"].map { AppScan.teamID(ofApp: "org.example.\($0)", in: directories) }
            #expect(teams == ["org.example", nil, nil, nil])
        }
    }

    @Test("A change is reported in a directory that exists and in one that appears")
    func watch() async throws {
        try await withDirectory { directory in
            let path = directory.appending(path: "share/applications")
            let appears = DirectoryWatch([FilePath(path.path())])
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            try await appears.changed(orAfter: .seconds(1))
            let changes = DirectoryWatch([FilePath(path.path())])
            try Data().write(to: path.appending(path: "x.desktop"))
            try await changes.changed(orAfter: .seconds(1))
        }
    }

    private func withDirectory<T>(_ body: (URL) async throws -> T) async throws -> T {
        let directory = Self.directory()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }

    @Test("A command in a directory of exported files is not run, wherever that directory is")
    func exportedDirectory() throws {
        try withDirectory { directory in
            let exports = directory.appending(path: "exports/share/applications")
            try FileManager.default.createDirectory(at: exports, withIntermediateDirectories: true)
            let text = "[Desktop Entry]\nType=Application\nName=N\n" + Self.claim + "X-Handoff-Exec=true\n"
            try Data(text.utf8).write(to: exports.appending(path: "org.example.Sandboxed.desktop"))
            let directories = AppDirectories(environment: [
                "XDG_DATA_DIRS": directory.appending(path: "exports/share").path()
            ])
            let registry = AppScan(directories: directories, environment: ["PATH": "/bin"]).registry()
            #expect(registry.apps.isEmpty)
            #expect(registry.faults.map(\.file).contains { $0.hasSuffix("org.example.Sandboxed.desktop") })
        }
    }

    private func withDirectory<T>(_ body: (URL) throws -> T) throws -> T {
        let directory = Self.directory()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try body(directory)
    }

    private static func directory() -> URL {
        URL.temporaryDirectory.appending(path: "apps-\(UUID().uuidString.prefix(8))")
    }
}
