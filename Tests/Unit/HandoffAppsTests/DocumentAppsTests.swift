import Foundation
import HandoffApps
import TestLimits
import Testing

@Suite("A document opens in the default app of its MIME type", .endsWithin(minutes: 10))
struct DocumentAppsTests {
    typealias Level = DocumentApps.Level

    private static func app(_ id: String, _ types: String, _ more: String = "Exec=run %f") throws -> DocumentApp {
        let text = "[Desktop Entry]\nType=Application\nName=N\nMimeType=\(types)\n\(more)\n"
        return try #require(try DocumentApp(id: id, DesktopEntry(text)))
    }

    struct Choice: CustomTestStringConvertible {
        let testDescription: String
        let lists: [String]
        let expected: String?
    }

    @Test(
        "Among the lists and desktop files, those of higher precedence decide",
        arguments: [
            Choice(testDescription: "desktop files alone", lists: ["", ""], expected: "a"),
            Choice(
                testDescription: "a default",
                lists: ["[Default Applications]\ntext/plain=b.desktop;a.desktop", ""],
                expected: "b"
            ),
            Choice(
                testDescription: "a default that is not installed",
                lists: ["[Default Applications]\ntext/plain=gone.desktop;c.desktop;", ""],
                expected: "c"
            ),
            Choice(
                testDescription: "a later default",
                lists: ["[Default Applications]\ntext/html=b.desktop", "[Default Applications]\ntext/plain=c.desktop"],
                expected: "c"
            ),
            Choice(
                testDescription: "an addition",
                lists: ["# mine\n[Added Associations]\ntext/plain=c.desktop;\n", ""],
                expected: "c"
            ),
            Choice(
                testDescription: "a removal",
                lists: ["[Removed Associations]\ntext/plain=a.desktop;", ""],
                expected: "b"
            ),
            Choice(
                testDescription: "all removed",
                lists: ["[Removed Associations]\ntext/plain=a.desktop;b.desktop", ""],
                expected: nil
            ),
        ]
    )
    func choice(_ choice: Choice) throws {
        let apps = DocumentApps([
            Level(list: MediaTypeAppList(choice.lists[0])),
            Level(apps: [try Self.app("a", "text/plain;")], ids: ["hidden"]),
            Level(list: MediaTypeAppList(choice.lists[1])),
            Level(apps: [
                try Self.app("b", "text/plain;"), try Self.app("c", "image/png;"), try Self.app("hidden", "image/gif"),
            ]),
        ])
        #expect(apps.app(for: ["text/plain"])?.id == choice.expected)
        #expect(apps.app(for: ["text/unknown", "image/png"])?.id == "c")
        #expect(apps.app(for: ["image/gif"]) == nil)
        #expect(apps.app(for: []) == nil)
    }

    @Test("All apps for a document are told in order, so that the next one opens it if one cannot be started")
    func order() throws {
        let apps = DocumentApps([
            Level(list: MediaTypeAppList("[Default Applications]\ntext/plain=c.desktop;gone.desktop;a.desktop\n")),
            Level(
                cache: MediaTypeAppList("[MIME Cache]\ntext/x-a=d.desktop;\ntext/plain=b.desktop;a.desktop;\n"),
                apps: try ["a", "b", "c", "d", "e"].map { try Self.app($0, "text/plain;") }
            ),
        ])
        #expect(apps.apps(for: ["text/x-a", "text/plain"]).map(\.id) == ["d", "c", "a", "b", "e"])
    }

    @Test("A default by another name of its type counts")
    func aliases() throws {
        let aliases = MediaTypeAliases("application/x-pdf application/pdf\nbroken\n", "application/x-pdf a/b")
        let list = MediaTypeAppList("[Default Applications]\napplication/x-pdf=a.desktop\n", aliases: aliases)
        let apps = DocumentApps([Level(list: list), Level(apps: [try Self.app("a", "")])])
        #expect(apps.app(for: ["application/pdf"])?.id == "a")
        let hierarchy = MediaTypeHierarchy("application/x-pdf text/a", aliases: aliases)
        #expect(hierarchy.of("application/x-pdf").prefix(2) == ["application/pdf", "text/a"])
    }

    @Test("A MIME type has parent types, all text is also plain text, and cycles of parents end")
    func lineage() {
        let hierarchy = MediaTypeHierarchy("a/b c/d\nc/d a/b\ntext/x-markdown text/markdown\nbroken\n")
        #expect(hierarchy.of("a/b") == ["a/b", "c/d"])
        #expect(hierarchy.of("text/x-markdown") == ["text/x-markdown", "text/markdown", "text/plain"])
        #expect(hierarchy.of("image/png") == ["image/png"])
        let long = MediaTypeHierarchy((0..<100).map { "t/\($0) t/\($0 + 1)" }.joined(separator: "\n"))
        #expect(long.of("t/0").count <= 33)
    }

    @Test(
        "A desktop file that cannot open a document is ignored",
        arguments: [
            "Hidden=true\nExec=run %f", "Exec=\"run", "DBusActivatable=true", "DBusActivatable=true\nExec=\"run",
        ]
    )
    func unusable(_ lines: String) throws {
        let text = "[Desktop Entry]\nType=Application\nName=N\nMimeType=text/plain\n\(lines)\n"
        #expect(try DocumentApp(id: "a", DesktopEntry(text)) == nil)
        #expect(try DocumentApp(id: "a", DesktopEntry("[Desktop Entry]\nType=Link\nExec=run")) == nil)
    }

    @Test("The directories of a desktop are read in their order, with its own lists first")
    func scan() throws {
        let directory = URL.temporaryDirectory.appending(path: "documents-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let write = { (path: String, text: String) throws in
            let file = directory.appending(path: path)
            let above = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: above, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let app = { (types: String) in "[Desktop Entry]\nType=Application\nName=N\nExec=true %f\nMimeType=\(types)\n" }
        try write("share/mime/globs2", "50:text/markdown:*.md\n50:image/png:*.png\n50:image/gif:*.gif\n")
        try write("share/applications/a.desktop", app("text/plain;image/png"))
        try write("share/applications/b.desktop", app("image/png") + "TryExec=/nowhere/at/all\n")
        try write("share/applications/c.desktop", app("image/png"))
        // Not by itself, but on the way: a link to the directory above.
        try FileManager.default.createSymbolicLink(
            at: directory.appending(path: "share/applications/loop"),
            withDestinationURL: directory.appending(path: "share")
        )
        try write("etc/mimeapps.list", "[Default Applications]\nimage/png=a.desktop\n")
        try write("config/mimeapps.list", "[Default Applications]\nimage/png=b.desktop\n")
        try write("config/sway-mimeapps.list", "[Default Applications]\nimage/png=c.desktop\n")
        let path = directory.path()
        var environment = ["XDG_CONFIG_HOME": path + "/config", "XDG_CONFIG_DIRS": "relative:" + path + "/etc"]
        let choice = { (name: String, environment: [String: String]) in
            let directories = AppDirectories(paths: [path + "/share/applications"])
            let scan = DocumentAppScan(directories: directories, environment: environment)
            return scan.app(for: scan.types(ofFileNamed: name, at: Array("/nowhere".utf8)))?.id
        }
        #expect(choice("a.png", environment) == "a")
        environment["XDG_CURRENT_DESKTOP"] = "Sway:wlroots"
        #expect(choice("a.png", environment) == "c")
        #expect(choice("README.md", environment) == "a")
        #expect(choice("a.gif", environment) == nil)
        #expect(choice("a.unknown", environment) == nil)
        try write("config/mimeapps.list", "[Default Applications]\nimage/png=c.desktop\nnonsense\n")
        environment["XDG_CURRENT_DESKTOP"] = nil
        #expect(choice("a.png", environment) == "a", "a list that is not valid does not count")
    }
}
