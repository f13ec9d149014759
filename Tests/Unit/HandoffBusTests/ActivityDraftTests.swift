import DBus
import HandoffBus
import HandoffModel
import TestLimits
import Testing

@Suite("The properties of an activity as a program sets them", .endsWithin(minutes: 10))
struct ActivityDraftTests {
    private static func draft(_ properties: [String: Value]) throws -> ActivityDraft {
        try ActivityDraft(properties: properties.value)
    }

    @Test("No properties mean an eligible activity without contents")
    func empty() throws {
        let draft = try Self.draft([:])
        #expect(draft.properties == Activity.Properties())
        #expect(draft.isEligible)
    }

    @Test("Each property is set")
    func all() throws {
        let draft = try Self.draft([
            "Title": .string("Draft"), "WebpageURL": .string("https://example.org/"),
            "UserInfo": ["line": Value.int32(12)].value, "Eligible": .boolean(false),
            "RequiredUserInfoKeys": ["line", "page", "line"].value, "TeamID": .string("org.example"),
            "ExpirationDate": .int64(1_795_239_042_124_859), "TargetContentIdentifier": .string("note 42"),
            "PersistentIdentifier": .string("42"), "SupportsContinuationStreams": .boolean(true),
            "NeedsSave": .boolean(true), "Delegate": .objectPath("/org/example/App"),
            "Application": .string("org.example.Editor"),
        ])
        #expect(draft.properties.title == "Draft")
        #expect(draft.properties.webpageURL?.rawValue == "https://example.org/")
        #expect(draft.properties.userInfo == ["line": .integer(12)])
        #expect(!draft.isEligible)
        #expect(draft.properties.requiredUserInfoKeys == ["line", "page"])
        #expect(draft.properties.teamID == "org.example")
        #expect(draft.properties.expiration == (try Timestamp("2026-11-21T05:30:42.124859Z")))
        #expect(draft.properties.targetContentIdentifier == "note 42")
        #expect(draft.properties.persistentIdentifier == "42")
        #expect(draft.properties.supportsContinuationStreams)
        #expect(draft.needsSave)
        #expect(draft.delegate == "/org/example/App")
        #expect(draft.application == "org.example.Editor")
    }

    @Test("Only the changed properties are reported, each with the type that it is declared with")
    func changes() throws {
        let all = try Self.draft(Self.everything)
        // The document is a part of userInfo, and has a test of its own.
        let keys = ActivityDraft.Key.allCases.filter { $0 != .documentURL }
        #expect(all.changes(since: ActivityDraft()).count == keys.count)
        #expect(all.changes(since: all).isEmpty)
        for key in keys {
            var draft = ActivityDraft()
            try draft.set(key, to: all.value(of: key))
            #expect(draft.changes(since: ActivityDraft()) == [key.rawValue: all.value(of: key)])
            #expect(ActivityDraft().changes(since: draft) == [key.rawValue: ActivityDraft().value(of: key)])
            #expect(all.value(of: key).type == key.type)
            #expect(ActivityDraft().value(of: key).type == key.type)
        }
    }

    private static let everything: [String: Value] = [
        "Title": .string("T"), "WebpageURL": .string("http://example.org"), "Eligible": .boolean(false),
        "UserInfo": ["line": Value.int32(12)].value, "RequiredUserInfoKeys": ["line"].value, "TeamID": .string("a"),
        "ExpirationDate": .uint64(1_000_001), "TargetContentIdentifier": .string("b"),
        "PersistentIdentifier": .string("c"), "SupportsContinuationStreams": .boolean(true),
        "NeedsSave": .boolean(true), "Delegate": .objectPath("/a"), "Application": .string("d"),
    ]

    @Test("Empty values, 0 and / mean none, also where there was a value")
    func noneAgain() throws {
        var draft = try Self.draft(Self.everything)
        for key in ActivityDraft.Key.allCases { try draft.set(key, to: ActivityDraft().value(of: key)) }
        #expect(draft == ActivityDraft())
    }

    @Test("An empty title and an empty address mean none, also where there was one")
    func none() throws {
        var draft = try Self.draft(["Title": .string("Draft"), "WebpageURL": .string("http://example.org")])
        try draft.set("Title", to: .string(""))
        try draft.set("WebpageURL", to: .string(""))
        #expect(draft.properties == Activity.Properties())
    }

    @Test("The document is in userInfo, stays when userInfo is replaced, and goes only when it is removed itself")
    func document() throws {
        let url = "file:///home/ann/a%20b.txt"
        var draft = try Self.draft(["DocumentURL": .string(url), "UserInfo": ["a": Value.byte(1)].value])
        #expect(draft.properties.userInfo == ["a": .integer(1), Activity.documentURLKey: .url(url)])
        #expect(Set(draft.changes(since: ActivityDraft()).keys) == ["DocumentURL", "UserInfo"])
        try draft.set("UserInfo", to: ["b": Value.byte(2)].value)
        #expect(draft.properties.userInfo == ["b": .integer(2), Activity.documentURLKey: .url(url)])
        try draft.set(
            "UserInfo",
            to: UserInfoCoding.value(of: [Activity.documentURLKey: .url("file:///home/ann/c.txt")])
        )
        #expect(draft.properties.documentURL == "file:///home/ann/c.txt")
        try draft.set("UserInfo", to: ["a": Value.byte(1)].value)
        try draft.set("DocumentURL", to: .string(""))
        #expect(draft.properties.userInfo == ["a": .integer(1)])
        let page = ["DocumentURL": Value.string("https://example.org/a")]
        #expect(throws: DBusError.self) { try Self.draft(page) }
    }

    @Test("Setting userInfo replaces it as a whole")
    func replaced() throws {
        var draft = try Self.draft(["UserInfo": ["a": Value.byte(1)].value])
        try draft.set("UserInfo", to: ["b": Value.byte(2)].value)
        #expect(draft.properties.userInfo == ["b": .integer(2)])
    }

    private static let refused: [([String: Value], HandoffErrorName, String)] = [
        (
            ["Titel": .string("Draft")], .invalidArgument,
            "An activity has no property \"Titel\"; it has Title, WebpageURL, UserInfo, DocumentURL, "
                + "RequiredUserInfoKeys, TeamID, ExpirationDate, TargetContentIdentifier, PersistentIdentifier, SupportsContinuationStreams, Eligible, "
                + "NeedsSave, Delegate, Application."
        ),
        (["Type": .string("org.example.a")], .invalidArgument, "no property \"Type\""),
        (["Application": .string(String(repeating: "a", count: 256))], .invalidArgument, "at most 255 bytes"),
        (["Title": .byte(1)], .invalidArgument, "Title is a string, not a value of type y."),
        (["WebpageURL": .bytes([])], .invalidArgument, "WebpageURL is a string, not a value of type ay."),
        (["RequiredUserInfoKeys": .string("a")], .invalidArgument, "RequiredUserInfoKeys is a list of strings, not"),
        (
            ["RequiredUserInfoKeys": [Int64(1)].value], .invalidArgument,
            "RequiredUserInfoKeys is a list of strings, not"
        ),
        (["ExpirationDate": .int32(-1)], .invalidArgument, "ExpirationDate is a whole number of microseconds"),
        (["ExpirationDate": .double(1)], .invalidArgument, "ExpirationDate is a whole number of microseconds"),
        (["ExpirationDate": .uint64(.max)], .invalidArgument, "ExpirationDate is after the year 9999"),
        (["Delegate": .string("/a")], .invalidArgument, "Delegate is an object path, not a value of type s."),
        (["NeedsSave": .string("yes")], .invalidArgument, "NeedsSave is a boolean, not"),
        (["Eligible": .uint32(1)], .invalidArgument, "Eligible is a boolean, not a value of type u."),
        (["UserInfo": .string("{}")], .invalidUserInfo, "userInfo is a dictionary with string keys (a{sv})."),
        (["UserInfo": ["a": Value.objectPath("/")].value], .invalidUserInfo, "userInfo[\"a\"]"),
        (["WebpageURL": .string("ftp://example.org")], .invalidWebpageURL, "must be an http or https address"),
        (["WebpageURL": .string("https://")], .invalidWebpageURL, "names no host"),
    ]

    @Test("Each invalid property is an error that names it", arguments: refused)
    func eachRefusal(_ properties: [String: Value], _ name: HandoffErrorName, _ message: String) {
        let error = dbusError { _ = try Self.draft(properties) }
        #expect(HandoffErrorName(error?.name) == name)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
    }

    @Test("A draft is the same after conversion to properties and back")
    func roundTrip() throws {
        for properties in [[:], Self.everything] {
            let draft = try Self.draft(properties)
            #expect(try ActivityDraft(properties: draft.value) == draft)
        }
    }

    @Test(
        "The limits of the model apply, and each violation has its error name",
        arguments: [
            ("not a type", [:], .invalidActivityType),
            ("org.example.a", ["Title": .string(String(repeating: "x", count: 1025))], .invalidTitle),
            ("org.example.a", ["UserInfo": ["a": Value.string("a\0b")].value], .invalidUserInfo),
            ("org.example.a", ["TeamID": .string("an id")], .invalidArgument),
            ("org.example.a", ["PersistentIdentifier": .string(String(repeating: "x", count: 1025))], .invalidArgument),
        ] as [(String, [String: Value], HandoffErrorName)]
    )
    func bounds(_ type: String, _ properties: [String: Value], _ name: HandoffErrorName) {
        let error = dbusError { _ = try Self.draft(properties).activity(ofType: type) }
        #expect(HandoffErrorName(error?.name) == name)
    }
}
