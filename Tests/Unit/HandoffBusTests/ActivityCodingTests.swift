import DBus
import HandoffBus
import HandoffModel
import TestLimits
import Testing

@Suite("Coding of whole activities for D-Bus", .endsWithin(minutes: 10))
struct ActivityCodingTests {
    private static func activities() throws -> [Activity] {
        let type = try ActivityType("org.example.editor.editing")
        return [
            try Activity(type: type),
            try Activity(type: .browsingWeb, webpageURL: WebpageURL("https://example.org/a?b#c")),
            try Activity(type: type, title: "Résumé", userInfo: ["line": .integer(3), "all": .set([.null])]),
            try Activity(
                type: type,
                userInfo: ["line": .integer(3)],
                requiredUserInfoKeys: ["line", "page"],
                teamID: "org.example",
                expiration: Timestamp(seconds: 2_000_000_000, nanoseconds: 5000),
                targetContentIdentifier: "note",
                persistentIdentifier: "42",
                supportsContinuationStreams: true
            ),
        ]
    }

    @Test("An activity is the same after encoding and decoding")
    func roundTrip() throws {
        for activity in try Self.activities() {
            #expect(try ActivityCoding.activity(from: ActivityCoding.value(of: activity)) == activity)
        }
    }

    @Test("Absent properties of an activity are left out, except userInfo")
    func absent() throws {
        let activity = try Activity(type: ActivityType("org.example.a"))
        let value = ActivityCoding.value(of: activity)
        #expect(value.type.description == "a{sv}")
        #expect(value.stringDictionary == ["Type": .string("org.example.a"), "UserInfo": [String: Value]().value])
    }

    @Test("Keys of a later version are ignored")
    func unknownKeys() throws {
        let value = ["Type": Value.string("org.example.a"), "Mood": .string("good")].value
        #expect(try ActivityCoding.activity(from: value) == Activity(type: ActivityType("org.example.a")))
    }

    @Test(
        "A value that is not an activity is an error with a specific name",
        arguments: [
            (.string("x"), .invalidArgument),
            ([String: Value]().value, .invalidArgument),
            (["Type": Value.byte(1)].value, .invalidArgument),
            (["Type": Value.string("nothing")].value, .invalidActivityType),
            (["Type": Value.string("org.example.a"), "Title": .byte(1)].value, .invalidArgument),
            (["Type": Value.string("org.example.a"), "WebpageURL": .string("x:")].value, .invalidWebpageURL),
            (["Type": Value.string("org.example.a"), "UserInfo": .byte(1)].value, .invalidUserInfo),
        ] as [(Value, HandoffErrorName)]
    )
    func odd(_ value: Value, _ name: HandoffErrorName) {
        let error = dbusError { _ = try ActivityCoding.activity(from: value) }
        #expect(HandoffErrorName(error?.name) == name)
    }
}
