import HandoffApps
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Desktop files declare which activities an app continues", .endsWithin(minutes: 10))
struct AppTests {
    private static func app(_ lines: String, id: String = "org.example.Editor") throws -> App? {
        try App(id: id, DesktopEntry("[Desktop Entry]\nType=Application\nName=Editor\n" + lines))
    }

    @Test("All keys are read, with lists, escapes, comments and other groups")
    func whole() throws {
        let text = """
            # made by hand
            [Desktop Entry]
            Type=Application
            Name=Ed\\sitor
            Name[de]=Bearbeiter
            Icon = editor
            DBusActivatable=true
            X-Handoff-ActivityTypes=org.example.edit;org.example.draw;
            X-Handoff-TeamID=ORG.example
            X-Handoff-DocumentTypes=text/plain=org.example.text;
            X-Handoff-AssociatedDomains=activitycontinuation:example.org;applinks:a.example;activitycontinuation:*.b.example

            [Desktop Action new]
            Name=New
            """
        for text in [text, text.split(separator: "\n").joined(separator: "\r\n")] {
            let app = try #require(try App(id: "org.example.Editor", DesktopEntry(text)))
            #expect(app.name == "Ed itor")
            #expect(app.icon == "editor")
            #expect(app.types.map(\.rawValue).sorted() == ["org.example.draw", "org.example.edit", "org.example.text"])
            #expect(app.teamID == "ORG.example")
            #expect(app.documentTypes.keys.sorted() == ["text/plain"])
            #expect(app.associatedDomains.map(\.description) == ["example.org", "*.b.example"])
            #expect(app.launchMethod == .bus)
        }
    }

    @Test(
        "X-Handoff-Exec of a file that a sandbox has exported is not a command: its Exec is used, or the file is refused",
        arguments: [true, false]
    )
    func exported(byPlace: Bool) throws {
        let key = byPlace ? "" : "X-Flatpak=org.example.Editor\n"
        let head = "[Desktop Entry]\nType=Application\nName=Editor\nX-Handoff-ActivityTypes=a.b;\n" + key
        let hostile = head + "X-Handoff-Exec=/bin/sh -c evil\n"
        let rewritten = "Exec=/usr/bin/flatpak run --command=editor org.example.Editor %u"
        let app = try #require(try App(id: "a.b", DesktopEntry(hostile + rewritten), isExported: byPlace))
        let command = try AppCommand(of: DesktopEntry("[Desktop Entry]\nName=Editor\n" + rewritten))
        #expect(app.launchMethod == .command(try #require(command)))
        let error = #expect(throws: AppError.self) {
            try App(id: "a.b", DesktopEntry(hostile), isExported: byPlace)
        }
        #expect(error?.description.contains("is not used for an app in a sandbox") == true)
        let onBus = try #require(
            try App(id: "a.b", DesktopEntry(hostile + "DBusActivatable=true"), isExported: byPlace)
        )
        #expect(onBus.launchMethod == .bus)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let lines: String
        let reason: String

        var testDescription: String { reason }
    }

    @Test(
        "A desktop file that cannot be used is refused with the key at fault",
        arguments: [
            Refusal(lines: "X-Handoff-ActivityTypes=edit;\nDBusActivatable=true", reason: "X-Handoff-ActivityTypes"),
            Refusal(lines: "X-Handoff-ActivityTypes=a.b;", reason: "X-Handoff-Exec is missing"),
            Refusal(lines: "X-Handoff-ActivityTypes=a.b;\nExec=editor %f", reason: "X-Handoff-Exec is missing"),
            Refusal(lines: "X-Handoff-ActivityTypes=a.b;\nX-Handoff-Exec=\"editor", reason: "quote is not closed"),
            Refusal(lines: "X-Handoff-ActivityTypes=a.b;\nDBusActivatable=yes", reason: "neither true nor false"),
            Refusal(lines: "X-Handoff-DocumentTypes=text;\nDBusActivatable=true", reason: "X-Handoff-DocumentTypes"),
            Refusal(
                lines: "X-Handoff-ActivityTypes=a.b;\nX-Handoff-Exec=editor\nX-Handoff-Waits=yes",
                reason: "X-Handoff-Waits is neither true nor false"
            ),
            Refusal(
                lines: "X-Handoff-ActivityTypes=a.b;\nDBusActivatable=true\nX-Handoff-Waits=true",
                reason: "X-Handoff-Waits is only for a program"
            ),
            Refusal(
                lines: "X-Handoff-ActivityTypes=a.b;\nX-Handoff-TeamID=a b\nDBusActivatable=true",
                reason: "X-Handoff-TeamID"
            ),
        ]
    )
    func refusals(_ refusal: Refusal) {
        let fault = #expect(throws: AppError.self) { try Self.app(refusal.lines) }
        #expect(fault?.description.contains(refusal.reason) == true, "\(fault?.description ?? "")")
    }

    @Test("A program waits if its file says so, and no app on the bus does")
    func waits() throws {
        let program = "X-Handoff-ActivityTypes=a.b;\nX-Handoff-Exec=editor\n"
        #expect(try Self.app(program + "X-Handoff-Waits=true")?.waits == true)
        #expect(try Self.app(program + "X-Handoff-Waits=false")?.waits == false)
        #expect(try Self.app(program)?.waits == false)
        #expect(try Self.app(program + "DBusActivatable=true\nX-Handoff-Waits=true")?.waits == false)
    }

    @Test("A file that is hidden or claims no type is not an app, whatever else it contains")
    func noApp() throws {
        #expect(try Self.app("Exec=editor") == nil)
        #expect(try Self.app("X-Handoff-ActivityTypes=;") == nil)
        #expect(try Self.app("Hidden=true\nX-Handoff-ActivityTypes=broken") == nil)
    }

    @Test(
        "Lines that cannot be parsed are refused with their number",
        arguments: ["[Desktop Entry\nA=b", "A=b\n[Desktop Entry]", "[Desktop Entry]\nnonsense", "[Desktop Entry]", ""]
    )
    func syntax(_ text: String) {
        #expect(throws: DesktopEntry.SyntaxError.self) { try DesktopEntry(text) }
    }

    @Test(
        "What desktops forgive is an error for whoever checks the file, and keeps no app away",
        arguments: ["StartupNotify=true\nStartupNotify=false", "a_b=1", "a b=1", "Name[de]=\nName[de]="]
    )
    func forgiven(_ lines: String) throws {
        let head = "[Desktop Entry]\nType=Application\nName=N\nDBusActivatable=1\nX-Handoff-ActivityTypes=a.b;\n"
        let text = head + lines
        let entry = try #require(DesktopEntry(asDesktopsRead: text))
        #expect(try App(id: "org.example.A", entry)?.types.map(\.rawValue) == ["a.b"])
    }

    @Test("Damaged files are either read or refused, and never crash the parser")
    func damage() {
        let keys = ["X-Handoff-ActivityTypes", "Exec", "Type", "Name", "X-Handoff-TeamID", "DBusActivatable"]
        let pieces = ["[Desktop Entry]", "=", "\n", "\r\n", ";", "\\", "\"", "%u", "a.b", "true", "\u{0}", "é"] + keys
        var random = SeededRandom(seed: 7)
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            for entry in [try? DesktopEntry(text), DesktopEntry(asDesktopsRead: text)].compactMap(\.self) {
                _ = try? App(id: "a.b", entry)
            }
            if let line = try? ExecLine(text) { _ = line.arguments(url: "https://example.org") }
        }
    }

    @Test("A command line gets the address wherever it asks for it, as one argument, and the app's name and icon")
    func commandLines() throws {
        let cases: [(String, [String])] = [
            ("editor --open %u", ["editor", "--open", "u r l"]),
            ("editor --uri=%u", ["editor", "--uri=u r l"]),
            ("\"my editor\" %i %f --x=%c", ["my editor", "--icon", "an icon", "--x=N"]),
            ("editor -qwindowtitle %c %u", ["editor", "-qwindowtitle", "N", "u r l"]),
            ("editor %k %v %m %u %u", ["editor", "/f", "u r l"]),
            (#"sh -c "echo \"a\" 100%%""#, ["sh", "-c", #"echo "a" 100%"#]),
            (#"sh -c 'view "$0"' %u"#, ["sh", "-c", #"view "$0""#, "u r l"]),
            (#"a """#, ["a", ""]),
        ]
        let labels = ExecLine.Labels(name: "N", icon: "an icon", file: "/f")
        for (line, arguments) in cases {
            #expect(try ExecLine(line, labels: labels).arguments(url: "u r l") == arguments, "\(line)")
        }
        #expect(try ExecLine("editor %u").arguments() == ["editor"])
        #expect(try ExecLine("editor %i %c").arguments() == ["editor"], "without names")
    }

    @Test(
        "The name of a document ends no word and no quote, in a script neither",
        arguments: ["a b", "a'b", #"a"b"#, "a'; evil; '", "$(evil)", "`evil`", #"a\"#, #""; evil; ""#, "-x", "%f"]
    )
    func names(_ name: String) throws {
        let document = try FileURL(path: Array("/d/\(name)".utf8))
        let path = "/d/\(name)"
        let quoted = "'" + path.replacing("'", with: #"'\''"#) + "'"
        for (line, argument) in [
            ("v %f", path), ("v --file=%f", "--file=" + path), (#"v "%f""#, path), ("v '%F'", path), ("v", path),
            (#"v "--file=%f""#, "--file=" + path), (#"v "view %f""#, "view " + quoted),
        ] {
            #expect(try ExecLine(line).arguments(opening: document) == ["v", argument], "\(line)")
        }
        let scripted = try #require(try ExecLine("sh -c 'printf %%s %f'").arguments(opening: document))
        #expect(scripted == ["sh", "-c", "printf %s \(name.allSatisfy { "-x".contains($0) } ? path : quoted)"])
    }

    @Test("A document whose name is not UTF-8 is opened by its URL, and not by programs that take only a path")
    func notUTF8() throws {
        let document = try FileURL(path: Array("/tmp/caf".utf8) + [0xE9])
        #expect(try ExecLine("viewer %u").arguments(opening: document) == ["viewer", "file:///tmp/caf%E9"])
        #expect(try ExecLine("viewer --uri=%u").arguments(opening: document) == ["viewer", "--uri=file:///tmp/caf%E9"])
        #expect(try ExecLine("viewer %f").arguments(opening: document) == nil)
        #expect(try ExecLine("viewer").arguments(opening: document) == nil)
        #expect(
            try ExecLine("viewer").arguments(opening: FileURL(path: Array("/tmp/café".utf8))) == [
                "viewer", "/tmp/café",
            ]
        )
    }

    @Test(
        "A field code in the place of the program is refused",
        arguments: ["%f", "%u --open", "\"%c\"", "/usr/%k/editor"]
    )
    func noProgram(_ line: String) {
        #expect(throws: ExecLine.SyntaxError.self) { try ExecLine(line) }
    }

    @Test("The directories are those of XDG and the Flatpak and snap exports, each once, without relative ones")
    func directories() {
        let paths = AppDirectories(
            environment: ["HOME": "/h", "XDG_DATA_HOME": "relative", "XDG_DATA_DIRS": "/a/:/b:c:/a"]
        ).paths
        #expect(
            paths.prefix(4).map(\.self) == [
                "/h/.local/share/applications", "/h/.local/share/flatpak/exports/share/applications", "/a/applications",
                "/b/applications",
            ]
        )
        #expect(paths.contains("/var/lib/snapd/desktop/applications"))
        let moved = AppDirectories(environment: ["HOME": "/h", "XDG_DATA_HOME": "/d/", "XDG_DATA_DIRS": "/a"]).paths
        #expect(
            moved.prefix(3).map(\.self) == [
                "/d/applications", "/d/flatpak/exports/share/applications", "/a/applications",
            ]
        )
    }
}
