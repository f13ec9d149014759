import DBus
import Foundation
import TestLimits
import Testing

@Suite("The files in Docs/dbus are made from what the daemon declares", .endsWithin(minutes: 10))
struct InterfaceFileTests {
    @Test(
        "The interface file is that of the declaration, as `make interfaces` writes it",
        arguments: Interfaces.all.indices
    )
    func files(_ index: Int) throws {
        let interface = Interfaces.all[index]
        try Self.check("dbus/\(interface.name).xml") { _ in InterfaceFile(interface).text }
    }

    @Test(
        "The page has a section for each member, with its types, and for nothing else; `make interfaces` adds them",
        arguments: Interfaces.all.indices
    )
    func pages(_ index: Int) throws {
        let interface = Interfaces.all[index]
        let path = "dbus/\(Interfaces.page(of: interface)).md"
        try Self.check(path) { InterfacePage(interface).updated($0) }
        #expect(try Set(Page(path).headings(3)) == InterfacePage(interface).names)
    }

    @Test("Each member and each argument is explained, a member once", arguments: Interfaces.all.indices)
    func explanations(_ index: Int) {
        let interface = Interfaces.all[index]
        let arguments = interface.methods.flatMap { $0.inputs + $0.outputs } + interface.signals.flatMap(\.arguments)
        let members =
            interface.methods.map { ($0.name, $0.explanation) } + interface.signals.map { ($0.name, $0.explanation) }
            + interface.properties.map { ($0.name, $0.explanation) }
        #expect(!interface.summary.isEmpty)
        for argument in arguments { #expect(!argument.explanation.isEmpty, "\(argument.name)") }
        for (name, explanation) in members { #expect(!explanation.isEmpty, "\(name)") }
        // An XML comment ends with two dashes.
        let texts = members.map(\.1) + arguments.map(\.explanation) + [interface.summary, interface.explanation]
        for text in texts { #expect(!text.contains("--"), "\(text)") }
        #expect(Set(members.map(\.0)).count == members.count)
        #expect(interface.methods.allSatisfy { $0.interface == interface.name })
    }

    @Test("A member that a page lacks gets a section with its sentence, at the end of those of its kind")
    func newSection() {
        let declaration = InterfaceDeclaration(
            "org.example.Page1",
            "a page",
            methods: [MethodDeclaration("org.example.Page1", "Go", "Goes.", [Argument("to", .string, "where")])],
            properties: [
                PropertyDeclaration("Old", .string, .emitted, "what was there"),
                PropertyDeclaration("New", .uint32, .constant, "what came"),
            ]
        )
        let page = InterfacePage(declaration).updated("# Page1\n\n## Properties\n\n### Old `u`\n\nWritten by hand.\n")
        let sections = "## Properties\n\n### Old `s`\n\nWritten by hand.\n\n### New `u`, constant\n\nWhat came.\n"
        #expect(page == "# Page1\n\n\(sections)\n## Methods\n\n### Go(to: s)\n\nGoes.\n")
    }

    @Test("Each interface has a file and a page, and nothing else has one")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Documentation.directory.appending(path: "dbus").path()
        )
        let names = Interfaces.all.map { "\($0.name).xml" } + Interfaces.all.map { "\(Interfaces.page(of: $0)).md" }
        #expect(Set(files) == Set(names + ["README.md", "errors.md"]))
    }

    /// Compares a file with what is made of it; writes it instead if the environment has `HANDOFF_WRITE_INTERFACES=1`.
    private static func check(_ path: String, _ make: (String) -> String) throws {
        let isWriting = ProcessInfo.processInfo.environment["HANDOFF_WRITE_INTERFACES"] == "1"
        let written = isWriting ? (try? Documentation.text(path)) ?? "" : try Documentation.text(path)
        let made = make(written)
        if isWriting, made != written {
            try made.write(to: Documentation.directory.appending(path: path), atomically: true, encoding: .utf8)
        } else {
            #expect(made == written, "Docs/\(path) is not what the declaration says: run `make interfaces`")
        }
    }
}
