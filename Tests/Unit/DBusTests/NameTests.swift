import DBus
import TestLimits
import Testing

@Suite("Names obey the grammar of the D-Bus specification", .endsWithin(minutes: 10))
struct NameTests {
    private static let long = String(repeating: "a", count: 256)

    private func isRefused<Name: ValidatedName>(_ text: String, _ type: Name.Type) -> Bool {
        do {
            _ = try Name(text)
            return false
        } catch {
            return error.code == .invalidName && error.message.contains(Name.noun)
        }
    }

    @Test(
        "An invalid object path is refused",
        arguments: [
            "", "a", "a/b", "//", "/a/", "/a//b", "/a.b", "/a-b", "/a b", "/ä", "/a\0", "/a\n",
        ]
    )
    func invalidPath(text: String) {
        #expect(isRefused(text, ObjectPath.self))
    }

    @Test("A valid object path is accepted", arguments: ["/", "/a", "/0", "/_/A9/b_c", "/" + long])
    func validPath(text: String) throws {
        #expect(try ObjectPath(text).description == text)
    }

    @Test(
        "An invalid interface or error name is refused",
        arguments: [
            "", "a", ".a", "a.", "a..b", "a.1b", "1a.b", "a.b-c", "a.b c", "a.ä", "a.b\0", ":1.2", "a/b.c", "a." + long,
        ]
    )
    func invalidInterface(text: String) {
        #expect(isRefused(text, InterfaceName.self))
        #expect(isRefused(text, ErrorName.self))
    }

    @Test(
        "A valid interface or error name is accepted",
        arguments: ["a.b", "_a._1", "org.freedesktop.DBus", "A.B9.c_"]
    )
    func validInterface(text: String) throws {
        #expect(try InterfaceName(text).description == text)
        #expect(try ErrorName(text).description == text)
    }

    @Test(
        "An invalid bus name is refused",
        arguments: [
            "", ":", ":1", ".", "a", "a.", ".a", "a..b", "1a.b", "a.1b", ":1..2", ":1.2:3", "a.b c", "a.é", "a.b\0",
            "::1.2", "a." + long,
        ]
    )
    func invalidBusName(text: String) {
        #expect(isRefused(text, BusName.self))
    }

    @Test("A valid bus name is accepted", arguments: [":1.2", ":1.0.4-a", "a.b", "a-b.c-d", "-a._b", "org.bluez"])
    func validBusName(text: String) throws {
        let name = try BusName(text)
        #expect(name.description == text)
        #expect(name.isUnique == text.hasPrefix(":"))
    }

    @Test("An invalid member name is refused", arguments: ["", "1a", "a.b", "a-b", "a b", "ä", "a\0", long])
    func invalidMember(text: String) {
        #expect(isRefused(text, MemberName.self))
    }

    @Test("An object path has children, ancestors and a last element")
    func family() {
        let path = ObjectPath.root.appending("a").appending("b_1")
        #expect(path == "/a/b_1")
        #expect(path.lastElement == "b_1")
        #expect(ObjectPath.root.lastElement.isEmpty)
        #expect(path.isDescendant(of: .root))
        #expect(path.isDescendant(of: "/a"))
        #expect(!path.isDescendant(of: path))
        #expect(!ObjectPath.root.isDescendant(of: .root))
        #expect(!("/ab" as ObjectPath).isDescendant(of: "/a"))
    }
}

@Suite("Signatures obey the grammar of the D-Bus specification", .endsWithin(minutes: 10))
struct SignatureTests {
    private static func nested(_ count: Int) -> String { String(repeating: "a", count: count) + "y" }
    private static func braced(_ count: Int) -> String {
        String(repeating: "(", count: count) + "y" + String(repeating: ")", count: count)
    }

    @Test(
        "An invalid signature is refused",
        arguments: [
            "a", "()", "(", ")", "(i", "i)", "a{}", "a{s}", "a{sss}", "a{vs}", "a{(s)s}", "{ss}", "a{ss", "z", "r", "e",
            "m", "A", " ", "\0", "((i)", "aaaa", nested(33), braced(33), String(repeating: "y", count: 256),
        ]
    )
    func invalid(text: String) {
        #expect(throws: DBusError.self) { try Signature(text) }
    }

    @Test(
        "A valid signature is accepted, and its types have the same description",
        arguments: [
            "", "ybnqiuxtdsoghv", "a{sv}", "a{oa{sa{sv}}}", "(i(sv)as)", "aai(ii)", nested(32), braced(32),
            String(repeating: "y", count: 255),
        ]
    )
    func valid(text: String) throws {
        let signature = try Signature(text)
        #expect(signature.types.map(\.description).joined() == text)
    }
}
