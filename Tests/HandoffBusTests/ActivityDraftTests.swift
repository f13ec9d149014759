import DBus
import HandoffBus
import HandoffModel
import Testing

@Suite("The properties of an activity, as a program sets them")
struct ActivityDraftTests {
    private static func draft(_ properties: [String: Value]) throws -> ActivityDraft {
        try ActivityDraft(properties: properties.value)
    }

    @Test("nothing said means an eligible activity with nothing in it")
    func empty() throws {
        let draft = try Self.draft([:])
        #expect(draft.properties == Activity.Properties())
        #expect(draft.isEligible)
    }

    @Test("each property is set")
    func all() throws {
        let draft = try Self.draft([
            "Title": .string("Draft"), "WebpageURL": .string("https://example.org/"),
            "UserInfo": ["line": Value.int32(12)].value, "Eligible": .boolean(false),
        ])
        #expect(draft.properties.title == "Draft")
        #expect(draft.properties.webpageURL?.rawValue == "https://example.org/")
        #expect(draft.properties.userInfo == ["line": .integer(12)])
        #expect(!draft.isEligible)
    }

    @Test("an empty title and an empty address mean none, also where there was one")
    func none() throws {
        var draft = try Self.draft(["Title": .string("Draft"), "WebpageURL": .string("http://example.org")])
        try draft.set("Title", to: .string(""))
        try draft.set("WebpageURL", to: .string(""))
        #expect(draft.properties == Activity.Properties())
    }

    @Test("userInfo is replaced as a whole")
    func replaced() throws {
        var draft = try Self.draft(["UserInfo": ["a": Value.byte(1)].value])
        try draft.set("UserInfo", to: ["b": Value.byte(2)].value)
        #expect(draft.properties.userInfo == ["b": .integer(2)])
    }

    private static let refused: [([String: Value], HandoffErrorName, String)] = [
        (
            ["Titel": .string("Draft")], .invalidArgument,
            "An activity has no property \"Titel\"; it has Title, WebpageURL, UserInfo, Eligible."
        ),
        (["Type": .string("org.example.a")], .invalidArgument, "no property \"Type\""),
        (["Title": .byte(1)], .invalidArgument, "Title is a string, not a value of type y."),
        (["WebpageURL": .bytes([])], .invalidArgument, "WebpageURL is a string, not a value of type ay."),
        (["Eligible": .uint32(1)], .invalidArgument, "Eligible is a boolean, not a value of type u."),
        (["UserInfo": .string("{}")], .invalidUserInfo, "userInfo is a dictionary with string keys (a{sv})."),
        (["UserInfo": ["a": Value.objectPath("/")].value], .invalidUserInfo, "userInfo[\"a\"]"),
        (["WebpageURL": .string("ftp://example.org")], .invalidWebpageURL, "Only http and https"),
        (["WebpageURL": .string("https://")], .invalidWebpageURL, "names no host"),
    ]

    @Test("a slip of the pen is an error that says which", arguments: refused)
    func eachRefusal(_ properties: [String: Value], _ name: HandoffErrorName, _ message: String) {
        let error = dbusError { _ = try Self.draft(properties) }
        #expect(HandoffErrorName(error?.name) == name)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
    }

    @Test("a draft is what its properties say, both ways")
    func roundTrip() throws {
        let all: [String: Value] = [
            "Title": .string("T"), "WebpageURL": .string("http://example.org"), "Eligible": .boolean(false),
        ]
        for properties in [[:], all] {
            let draft = try Self.draft(properties)
            let again = try ActivityDraft(properties: draft.value)
            #expect(again.properties == draft.properties)
            #expect(again.isEligible == draft.isEligible)
        }
    }

    @Test(
        "the bounds of the model are kept, under the name of what broke them",
        arguments: [
            ("not a type", [:], .invalidActivityType),
            ("org.example.a", ["Title": .string(String(repeating: "x", count: 1025))], .invalidTitle),
            ("org.example.a", ["UserInfo": ["a": Value.string("a\0b")].value], .invalidUserInfo),
        ] as [(String, [String: Value], HandoffErrorName)]
    )
    func bounds(_ type: String, _ properties: [String: Value], _ name: HandoffErrorName) {
        let error = dbusError { _ = try Self.draft(properties).activity(ofType: type) }
        #expect(HandoffErrorName(error?.name) == name)
    }
}
