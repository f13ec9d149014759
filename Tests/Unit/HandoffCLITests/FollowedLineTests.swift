import Foundation
import HandoffBus
import HandoffModel
import TestLimits
import Testing

@testable import HandoffCLI

@Suite("The lines of publish --follow", .endsWithin(minutes: 10))
struct FollowedLineTests {
    @Test("A line has all parts of an activity, under the names that continue --print --json gives them")
    func allParts() throws {
        let line = """
            {"type": "org.example.edit", "title": "Draft", "webpageURL": "https://example.org/", "userInfo": {"line": 7},
            "documentURL": "file:///home/ann/a.txt", "teamID": "TEAM", "targetContentIdentifier": "t",
            "persistentIdentifier": "p", "requiredUserInfoKeys": ["line"], "expirationDate": "2030-01-01T00:00:00Z",
            "eligible": false, "needsSave": true}
            """
        guard case .activity(let content) = try FollowedLine(line) else { return #expect(Bool(false)) }
        #expect(content.type == "org.example.edit")
        let properties = content.draft.properties
        #expect(properties.title == "Draft")
        #expect(properties.webpageURL?.rawValue == "https://example.org/")
        #expect(properties.userInfo["line"] == .integer(7))
        #expect(properties.documentURL == "file:///home/ann/a.txt")
        #expect(properties.teamID == "TEAM")
        #expect(properties.targetContentIdentifier == "t")
        #expect(properties.persistentIdentifier == "p")
        #expect(properties.requiredUserInfoKeys == ["line"])
        #expect(try properties.expiration == Timestamp("2030-01-01T00:00:00Z"))
        #expect(!content.draft.isEligible)
        #expect(content.draft.needsSave)
    }

    @Test("null ends the activity, and an empty object changes nothing")
    func withoutActivity() throws {
        #expect(try FollowedLine("null") == .nothing)
        #expect(try FollowedLine(" {} ") == .unchanged)
    }

    @Test("A document may be a path")
    func path() throws {
        guard case .activity(let content) = try FollowedLine(#"{"type": "org.example.edit", "document": "/a b.txt"}"#)
        else { return #expect(Bool(false)) }
        #expect(content.draft.properties.documentURL == "file:///a%20b.txt")
    }

    @Test(
        "A line that cannot be used is refused with the place and the reason",
        arguments: [
            ("", "JSON"), ("7", "object or null"), (#"{"title": "x"}"#, "\"type\" is missing"),
            (#"{"type": 7}"#, "\"type\" is missing"), (#"{"type": "org.example.edit", "userInfo": 7}"#, "userInfo: "),
            (
                #"{"type": "org.example.edit", "titel": ""}"#,
                "\"titel\" is not a key of an activity; the keys are document"
            ),
            (#"{"type": "org.example.edit", "title": 7}"#, "title: "),
            (#"{"type": "org.example.edit", "requiredUserInfoKeys": [7]}"#, "requiredUserInfoKeys: "),
            (#"{"type": "org.example.edit", "expirationDate": "tomorrow"}"#, "expirationDate: "),
            (#"{"type": "org.example.edit", "documentURL": "https://example.org"}"#, "documentURL: "),
        ]
    )
    func faults(line: String, reason: String) {
        do {
            _ = try FollowedLine(line)
            #expect(Bool(false), "\(line) is accepted")
        } catch {
            #expect(error.description.contains(reason), "\(error)")
        }
    }

    @Test("Bytes are cut into lines wherever they are divided; a line that is too long is one without text")
    func assembly() {
        let text = Array("one\n\ntwo\r\n123456789\nlast".utf8)
        for size in 1...text.count {
            var assembly = LineAssembly(maximumBytes: 8)
            var lines: [InputLines.Line] = []
            for start in stride(from: 0, to: text.count, by: size) {
                lines += assembly.append(text[start..<min(start + size, text.count)])
            }
            if let last = assembly.end() { lines.append(last) }
            #expect(lines.map(\.number) == [1, 3, 4, 5])
            #expect(lines.map(\.text) == ["one", "two\r", nil, "last"])
        }
    }

    @Test("What is no character costs itself, and not the line")
    func damaged() throws {
        let line = #"{"type": "org.example.edit", "title": "A \ud83d", "userInfo": {"note": "\udc00"}}"#
        guard case .activity(let content) = try FollowedLine(line) else { return #expect(Bool(false)) }
        #expect(content.draft.properties.title == "A \u{FFFD}")
        #expect(content.draft.properties.userInfo["note"] == .string("\u{FFFD}"))
        var assembly = LineAssembly(maximumBytes: 80)
        let lines = assembly.append([0x41, 0xFF, 0x0A])
        #expect(lines.map(\.text) == ["A\u{FFFD}"])
    }

    @Test("The content of a document is told beside the time of its change, if it is a file of at most 16 MiB")
    func content() throws {
        let file = URL.temporaryDirectory.appending(path: "handoff-content-\(UUID().uuidString.prefix(8)) é.txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("same\n".utf8).write(to: file)
        let added = { (line: String) throws -> [String: UserInfoValue] in
            guard case .activity(let content) = try FollowedLine(line) else { return [:] }
            return DocumentContent.added(to: content.draft).properties.userInfo
        }
        let path = file.path(percentEncoded: false)
        let timed = #"{"type": "org.example.edit", "document": "\#(path)", "userInfo": {"modificationTime": 7}}"#
        let told = try added(timed)
        #expect(told["documentSize"] == .integer(5))
        let digest = "a6328afc76e9db71da297ebff4b0d3e7a7eb3b01d917c05a6573fef121b6ecb6"
        #expect(told["documentSHA256"] == .string(digest))
        let without = #"{"type": "org.example.edit", "document": "\#(path)", "userInfo": {"line": 7}}"#
        #expect(try added(without).keys.sorted() == ["line", "NSUserActivityDocumentURLKey"].sorted())
        try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(DocumentContent.maximumBytes) + 1)
        #expect(try added(timed)["documentSHA256"] == nil)
        #expect(DocumentContent(of: Array("/dev/zero".utf8)) == nil && DocumentContent(of: Array("/usr".utf8)) == nil)
    }
}
