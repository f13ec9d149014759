import HandoffCore
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("An association file approves the apps that it lists, or is refused", .endsWithin(minutes: 10))
struct AssociationFileTests {
    private static func apps(_ text: String) throws -> [String] {
        try AssociationFile(Array(text.utf8)).apps.sorted()
    }

    @Test(
        "The apps of activitycontinuation are read, whatever else is in the file",
        arguments: [
            (#"{"activitycontinuation":{"apps":["T.a.b","T.c"]}}"#, ["T.a.b", "T.c"]),
            ("\n{ \"activitycontinuation\" : { \"apps\" : [ \"T.a\" ] } }\r\n", ["T.a"]),
            (#"{"activitycontinuation":{"apps":["\u0054.a","\uD83D\uDE00.b","\/"]}}"#, ["/", "T.a"]),
            (#"{"applinks":{"apps":["X.y"],"details":[{"n":-1.5e+300,"t":true,"f":false,"z":null}]}}"#, []),
            (
                #"{"applinks":{},"activitycontinuation":{"x":[[]],"apps":["T.a","T.a"]},"webcredentials":{"apps":["X.y"]}}"#,
                ["T.a"]
            ),
            (#"{"other":{"activitycontinuation":{"apps":["T.a"]}},"apps":["T.b"]}"#, []),
            (#"{"n":1e99999999999999999999,"m":99999999999999999999999999999999}"#, []),
            ("{}", []),
        ]
    )
    func read(text: String, apps: [String]) throws {
        #expect(try Self.apps(text) == apps)
    }

    struct Bomb: CustomTestStringConvertible, Sendable {
        let what: String
        let text: String
        let reason: String

        init(_ what: String, _ text: String, _ reason: String) {
            self.what = what
            self.text = text
            self.reason = reason
        }

        var testDescription: String { what }
    }

    @Test(
        "Hostile and broken files are refused, with the reason",
        arguments: [
            Bomb("nothing", "", "an object is missing"),
            Bomb("a web page", "<!doctype html><html></html>", "an object is missing"),
            Bomb("a list", "[]", "an object is missing"),
            Bomb("an unfinished object", #"{"activitycontinuation":{"apps":["T.a""#, "the end of a list is missing"),
            Bomb("more after its end", "{}{}", "something after its end"),
            Bomb("deep lists", #"{"a":"# + String(repeating: "[", count: 60_000), "nests more than 32 deep"),
            Bomb("deep objects", String(repeating: #"{"a":"#, count: 20_000), "nests more than 32 deep"),
            Bomb(
                "the member twice",
                #"{"activitycontinuation":{"apps":["T.a"]},"activitycontinuation":{}}"#,
                "occurs twice"
            ),
            Bomb("apps twice", #"{"activitycontinuation":{"apps":["T.a"],"apps":["T.b"]}}"#, "occurs twice"),
            Bomb("a key twice by an escape", #"{"a":1,"\u0061":2}"#, "occurs twice"),
            Bomb("apps as an object", #"{"activitycontinuation":{"apps":{"T.a":1}}}"#, "a list is missing"),
            Bomb("an app as a number", #"{"activitycontinuation":{"apps":[1]}}"#, "a string is missing"),
            Bomb("the member as a list", #"{"activitycontinuation":["T.a"]}"#, "an object is missing"),
            Bomb("half a character", #"{"a":"\ud83d"}"#, "half a character"),
            Bomb("a control character", "{\"a\":\"\n\"}", "a control character"),
            Bomb("a leading zero", #"{"a":01}"#, "unknown"),
            Bomb("no number", #"{"a":-}"#, "unknown"),
            Bomb("a comma too many", #"{"a":[1,]}"#, "unknown"),
            Bomb("another word", #"{"a":nul}"#, "unknown"),
            Bomb("a byte order mark", "\u{feff}{}", "an object is missing"),
            Bomb(
                "1001 apps",
                #"{"activitycontinuation":{"apps":["# + (0...1000).map { "\"\($0)\"" }.joined(separator: ",") + "]}}",
                "more than 1000 apps"
            ),
        ]
    )
    func refused(_ bomb: Bomb) {
        let failure = #expect(throws: SiteFailure.self) { try Self.apps(bomb.text) }
        #expect(failure?.code == .invalidFile)
        #expect(failure?.detail.contains(bomb.reason) == true, "\(failure?.detail ?? "")")
    }

    @Test("128 KiB are read, and one byte more is not")
    func size() throws {
        let text = Array(#"{"activitycontinuation":{"apps":["T.a"]}}"#.utf8)
        let full = text + [UInt8](repeating: 0x20, count: AssociationFile.maximumBytes - text.count)
        #expect(try AssociationFile(full).apps == ["T.a"])
        #expect(throws: SiteFailure(.tooLarge)) { try AssociationFile(full + [0x20]) }
    }

    @Test("Bytes that are not UTF-8 are refused")
    func encoding() {
        #expect(throws: SiteFailure.self) { try AssociationFile(Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)) }
    }

    @Test("A character that Unicode takes for an ASCII one names no app")
    func equivalence() throws {
        let file = try AssociationFile(Array("{\"activitycontinuation\":{\"apps\":[\"\u{212a}1.a\"]}}".utf8))
        #expect(!file.approves(try ApplicationIdentifier(team: "K1", app: "a")))
    }

    @Test("A changed byte never lists an app that the file did not list, unless it is one character of that app's name")
    func damage() throws {
        var random = SeededRandom(seed: 1602)
        let text = Array(#"{"x":{"apps":["E.evil"]},"activitycontinuation":{"apps":["T.a"],"n":[1,{"k":"v"}]}}"#.utf8)
        for _ in 0..<20_000 {
            var bytes = text
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: .min ... .max, using: &random)
            let apps = (try? AssociationFile(bytes))?.apps ?? []
            #expect(!apps.contains("E.evil") && apps.count <= 2)
        }
    }
}
