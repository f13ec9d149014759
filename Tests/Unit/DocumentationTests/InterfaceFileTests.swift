import DBus
import Foundation
import TestLimits
import Testing

@Suite("The files in Docs/dbus describe what the daemon declares", .endsWithin(minutes: 10))
struct InterfaceFileTests {
    @Test("The interface file and the interface have the same members", arguments: Interfaces.all.indices)
    func members(_ index: Int) throws {
        let interface = Interfaces.all[index]
        var comments: [String] = []
        let declared = try InterfaceXML.parse(ObjectTree.introspectionXML(interfaces: [interface]), comments: &comments)
        let written = try InterfaceXML.parse(Documentation.text("dbus/\(interface.name).xml"), comments: &comments)
        #expect(written == declared)
        #expect(declared.interfaces[interface.name.description]?.isEmpty == false)
    }

    @Test("The interface file explains each member and each argument", arguments: Interfaces.all.indices)
    func comments(_ index: Int) throws {
        let interface = Interfaces.all[index]
        var comments: [String] = []
        _ = try InterfaceXML.parse(Documentation.text("dbus/\(interface.name).xml"), comments: &comments)
        for method in interface.methods {
            let comment = comments.first { $0.hasPrefix("\(method.name):") }
            for argument in method.inputs + method.outputs {
                #expect(comment?.contains("@\(argument.name):") == true, "\(method.name), \(argument.name)")
            }
            #expect(comment != nil, "\(method.name)")
        }
        for property in interface.properties {
            #expect(comments.contains { $0.hasPrefix("\(property.name):") }, "\(property.name)")
        }
        for signal in interface.signals {
            let comment = comments.first { $0.hasPrefix("\(signal.name):") }
            for argument in signal.arguments {
                #expect(comment?.contains("@\(argument.name):") == true, "\(signal.name), \(argument.name)")
            }
            #expect(comment != nil, "\(signal.name)")
        }
    }

    @Test(
        "The page has a section for each member, with its types, and for nothing else",
        arguments: Interfaces.all.indices
    )
    func pages(_ index: Int) throws {
        let interface = Interfaces.all[index]
        let page = try Page("dbus/\(Interfaces.page(of: interface)).md")
        let members = [interface.methods.map(\.name), interface.properties.map(\.name), interface.signals.map(\.name)]
            .joined().map(\.description)
        #expect(Set(page.headings(3)) == Set(members))
        for property in interface.properties {
            let notes = [property.set == nil ? "" : ", writable", Self.note(property.changes)]
            let heading = page.lines.first { $0.hasPrefix("### \(property.name) ") }
            #expect(heading == "### \(property.name) `\(property.type)`\(notes.joined())")
        }
        for method in interface.methods {
            let heading = page.lines.first { $0.hasPrefix("### \(method.name)(") }
            let outputs = method.outputs.isEmpty ? "" : " → \(Self.text(method.outputs))"
            #expect(heading == "### \(method.name)(\(Self.text(method.inputs)))\(outputs)")
        }
        for signal in interface.signals {
            let heading = page.lines.first { $0.hasPrefix("### \(signal.name)(") }
            #expect(heading == "### \(signal.name)(\(Self.text(signal.arguments)))")
        }
    }

    private static func text(_ arguments: [Argument]) -> String {
        arguments.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
    }

    @Test("Each interface has a file and a page, and nothing else has one")
    func files() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Documentation.directory.appending(path: "dbus").path()
        )
        let names = Interfaces.all.map { "\($0.name).xml" } + Interfaces.all.map { "\(Interfaces.page(of: $0)).md" }
        #expect(Set(files) == Set(names + ["README.md", "errors.md"]))
    }

    /// The note in a property's heading about the notification of its changes.
    private static func note(_ changes: Property.ChangeNotice) -> String {
        switch changes {
        case .emitted: ""
        case .invalidated: ", told without its value"
        case .constant: ", constant"
        case .silent: ", not told"
        }
    }
}
