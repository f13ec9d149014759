import HandoffCore
import HandoffModel
import TestLimits
import Testing

@Suite("A check of a site reads its file, verifies it, or names what is wrong", .endsWithin(minutes: 10))
struct SiteCheckTests {
    private static let file = #"{"activitycontinuation":{"apps":["T.a"]}}"#

    private static func response(_ head: String, _ content: String = file) throws -> SiteResponse {
        try SiteResponse(Array("HTTP/1.1 \(head)\r\n\r\n\(content)".utf8))
    }

    private static func check(_ validator: SiteValidator? = nil) throws -> SiteCheck {
        try SiteCheck(of: SiteHost("example.org"), validator: validator)
    }

    @Test(
        "The answer of a server is read, after interim answers",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; charset=utf-8\r\nETag: \"a\"\r\n\r\nbody",
            "HTTP/1.0 200\ncontent-type:application/json \netag:  \"a\"\n\nbody",
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-type: application/json\r\nEtag: \"a\"\r\n\r\nbody",
        ]
    )
    func answer(text: String) throws {
        let response = try SiteResponse(Array(text.utf8))
        #expect(response.status == 200 && response.mediaType == "application/json" && response.entityTag == "\"a\"")
        #expect(response.content == Array("body".utf8))
    }

    @Test(
        "What is no answer of HTTP is refused",
        arguments: [
            "", "\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Type: application/json\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 40_000) + "\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 -20 OK\r\n\r\n",
        ]
    )
    func noAnswer(text: String) {
        #expect(throws: SiteFailure(.invalidAnswer)) { try SiteResponse(Array(text.utf8)) }
    }

    @Test(
        "An entity tag that could not be sent back is not kept",
        arguments: [
            "a", "\"a b\"", "\"", "w/\"a\"", "\"a\"\"", "\"" + String(repeating: "a", count: 200) + "\"", "\"\u{fc}\"",
        ]
    )
    func entityTag(tag: String) throws {
        #expect(try Self.response("200 OK\r\nETag: \(tag)").entityTag == nil)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let head: String
        let failure: SiteFailure

        var testDescription: String { "\(head): \(failure.reason)" }
    }

    @Test(
        "An answer that is no file ends the check, and the other path is not looked at",
        arguments: [
            Case(head: "301 Moved\r\nLocation: https://example.org/x", failure: SiteFailure(.redirected)),
            Case(head: "302 Found", failure: SiteFailure(.redirected)),
            Case(head: "304 Not Modified", failure: SiteFailure(.redirected)),
            Case(head: "401 Unauthorized", failure: SiteFailure(.badStatus, "401")),
            Case(head: "403 Forbidden", failure: SiteFailure(.badStatus, "403")),
            Case(head: "500 Oops", failure: SiteFailure(.badStatus, "500")),
            Case(head: "204 No Content", failure: SiteFailure(.badStatus, "204")),
            Case(head: "206 Partial Content", failure: SiteFailure(.badStatus, "206")),
            Case(head: "200 OK\r\nContent-Type: text/html", failure: SiteFailure(.wrongType, "text/html")),
            Case(head: "200 OK\r\nContent-Type: text/plain", failure: SiteFailure(.wrongType, "text/plain")),
        ]
    )
    func failure(_ example: Case) throws {
        var check = try Self.check()
        #expect(check.firstStep == .fetch(.wellKnown, unless: nil))
        #expect(try check.received(Self.response(example.head)) == .end(.failed(example.failure)))
    }

    @Test(
        "A file of any type that servers give to JSON is read",
        arguments: [
            "application/json", "application/octet-stream", "binary/octet-stream", nil,
        ]
    )
    func plain(type: String?) throws {
        var check = try Self.check()
        let step = try check.received(Self.response("200 OK" + (type.map { "\r\nContent-Type: \($0)" } ?? "")))
        #expect(step == .end(.file(try AssociationFile(Array(Self.file.utf8)), nil)))
    }

    @Test(
        "Without a file below .well-known the root is looked at, and without one there the site has none",
        arguments: ["404 Not Found", "410 Gone"]
    )
    func absent(head: String) throws {
        var check = try Self.check()
        #expect(try check.received(Self.response(head)) == .fetch(.root, unless: nil))
        var other = check
        #expect(try check.received(Self.response(head)) == .end(.failed(SiteFailure(.absent))))
        let step = try other.received(Self.response("200 OK\r\nETag: \"r\""))
        let validator = SiteValidator(path: .root, entityTag: "\"r\"")
        #expect(step == .end(.file(try AssociationFile(Array(Self.file.utf8)), validator)))
    }

    @Test("An entity tag is sent to the path that it is of, and an unchanged file is known there")
    func unchanged() throws {
        var check = try Self.check(SiteValidator(path: .root, entityTag: "\"r\""))
        #expect(check.firstStep == .fetch(.wellKnown, unless: nil))
        #expect(try check.received(Self.response("404 No")) == .fetch(.root, unless: "\"r\""))
        #expect(try check.received(Self.response("304 Not Modified")) == .end(.unchanged))
    }

    @Test(
        "Signed content is verified, by its type or its first byte, and its entity tag is not kept",
        arguments: [
            ("application/pkcs7-mime", "{}"), ("application/x-pkcs7-mime", "0\u{1}"),
            ("application/octet-stream", "0\u{1}"),
            ("application/json", "0\u{1}"),
        ]
    )
    func signed(type: String, content: String) throws {
        var check = try Self.check()
        let head = "200 OK\r\nContent-Type: \(type)\r\nETag: \"a\""
        #expect(try check.received(Self.response(head, content)) == .verify(Array(content.utf8)))
        let valid = check.verified(Array(Self.file.utf8))
        #expect(valid == .end(.file(try AssociationFile(Array(Self.file.utf8)), nil)))
        #expect(check.failed(SiteFailure(.badSignature)) == .end(.failed(SiteFailure(.badSignature))))
    }

    @Test("129 KiB are too large, plain or signed")
    func tooLarge() throws {
        for type in ["application/json", "application/pkcs7-mime"] {
            var check = try Self.check()
            let content = String(repeating: " ", count: 129 * 1024)
            let step = try check.received(Self.response("200 OK\r\nContent-Type: \(type)", content))
            #expect(step == .end(.failed(SiteFailure(.tooLarge))))
        }
    }

    @Test("Every failure has a reason for people")
    func reasons() {
        let reasons = SiteFailure.Code.allCases.map { SiteFailure($0, "x").reason }
        #expect(Set(reasons).count == reasons.count && reasons.allSatisfy { !$0.isEmpty && !$0.hasSuffix(".") })
    }
}
