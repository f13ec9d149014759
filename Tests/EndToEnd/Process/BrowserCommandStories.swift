import Foundation
import HandoffBrowser
import HandoffTestSupport
import TestLimits
import Testing

@Suite("handoffctl browser connects browsers and removes what it wrote", .endsWithin(minutes: 15, instances: 4))
struct BrowserCommandStories {
    /// Runs `handoffctl browser` with a home directory of its own.
    private static func browser(_ arguments: [String], home: URL, path: String = "/nowhere") async throws
        -> ProgramResult
    {
        let environment = [
            "HOME": home.path(), "PATH": path, "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "XDG_DATA_DIRS": "/nowhere",
        ]
        return try await run(
            Programs.handoffctl,
            ["--bus", "unix:path=/nowhere", "browser"] + arguments,
            environment: environment
        )
    }

    private static func files(below directory: URL) throws -> Set<String> {
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path())
        return Set(names.filter { $0.hasSuffix(".json") || $0.hasSuffix(".desktop") })
    }

    @Test("A user's files are written for the browsers that are named, shown, and removed again")
    func user() async throws {
        try await World.run { world in
            let home = world.directory
            let installed = try await Self.browser(["install", "firefox", "chrome"], home: home)
            #expect(installed.status == 0, "\(installed.stderr)")
            let expected: Set = [
                ".mozilla/native-messaging-hosts/org.handoffd.browser.json",
                ".config/google-chrome/NativeMessagingHosts/org.handoffd.browser.json",
                ".local/share/applications/org.handoffd.Browser.Firefox.desktop",
                ".local/share/applications/org.handoffd.Browser.Chrome.desktop",
            ]
            #expect(try Self.files(below: home) == expected)
            let firefox = ".mozilla/native-messaging-hosts/org.handoffd.browser.json"
            let manifest = try String(contentsOf: home.appending(path: firefox), encoding: .utf8)
            #expect(manifest.contains("/handoff-browser-host\""), "the host is beside handoffctl")
            try await world.writeProgram("#!/bin/sh\n", to: "bin/firefox")
            let status = try await Self.browser(["--json"], home: home, path: home.appending(path: "bin").path())
            let browsers = try JSON(status.stdout).array
            #expect(browsers.map { $0["browser"].string } == ["firefox"])
            #expect(browsers.first?["manifest"].string.hasSuffix("/org.handoffd.browser.json") == true)
            #expect(browsers.first?["installed"].array.map(\.string) == ["system"])
            let again = try await Self.browser(["install", "firefox"], home: home)
            #expect(again.status == 0, "files are replaced")
            let removed = try await Self.browser(["uninstall"], home: home)
            #expect(removed.status == 0 && removed.stdout.contains("removed"))
            #expect(try Self.files(below: home).isEmpty)
            #expect(try await Self.browser(["uninstall"], home: home).stdout == "nothing to remove\n")
        }
    }

    @Test("The files of a package are written below a directory, for all browsers")
    func package() async throws {
        try await World.run { world in
            let root = world.directory.appending(path: "root")
            let places = [
                "--system", "--destdir", root.path(), "--datadir", "/usr/share", "--host", "/usr/libexec/host",
            ]
            let installed = try await Self.browser(["install"] + places, home: world.directory)
            #expect(installed.status == 0, "\(installed.stderr)")
            let expected = Browser.allCases.flatMap {
                InstalledFile.systemFiles(of: $0, data: "/usr/share", host: "/usr/libexec/host")
            }
            #expect(try Self.files(below: root) == Set(expected.map { String($0.path.dropFirst()) }))
            for file in expected {
                #expect(try String(contentsOfFile: root.path() + file.path, encoding: .utf8) == file.text)
            }
            _ = try await Self.browser(["uninstall"] + places, home: world.directory)
            #expect(try Self.files(below: root).isEmpty)
        }
    }

    @Test("What cannot be done is said, with what to do")
    func refused() async throws {
        try await World.run { world in
            let home = world.directory
            let unknown = try await Self.browser(["install", "lynx"], home: home)
            #expect(unknown.status == 64)
            let none = try await Self.browser(["install"], home: home)
            #expect(none.status == 4 && none.stderr.contains("name one of firefox, chromium, chrome"))
            let absent = try await Self.browser(["install", "firefox", "--host", "/nowhere/host"], home: home)
            #expect(absent.status == 4 && absent.stderr.contains("/nowhere/host"))
            try world.write("a file in place of a directory", to: ".mozilla")
            let unwritable = try await Self.browser(["install", "firefox"], home: home)
            #expect(unwritable.status == 1 && unwritable.stderr.contains("cannot be written"))
        }
    }
}
