import Foundation
import HandoffCore
import HandoffModel
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("What sites have answered is kept in the user's cache directory", .endsWithin(minutes: 10))
struct SiteCacheTests {
    private static func records() throws -> [SiteRecord] {
        var record = SiteRecord(host: try SiteHost("example.org"), next: 7)
        record.asked = ["T.a", "T.b"]
        record.approved = ["T.a"]
        record.verified = 5
        record.checked = 6
        record.failure = SiteFailure(.badStatus, "503")
        record.validator = SiteValidator(path: .root, entityTag: "\"x\"")
        return [record, SiteRecord(host: try SiteHost("example.com"), next: 1)]
    }

    @Test("Records are read as they were written, and others cannot read the file")
    func whole() async throws {
        try await withTemporaryDirectory { path in
            let cache = SiteCache(in: path.appending("a/handoff"))
            #expect(cache.read()?.isEmpty == true)
            let records = try Self.records()
            #expect(await cache.write(records))
            #expect(cache.read() == records)
            let mode = try path.appending("a/handoff/associations").mode
            #expect(mode == 0o600)
            #expect(await cache.write([]))
            #expect(cache.read()?.isEmpty == true)
            let names = try path.appending("a/handoff").names
            #expect(names == ["associations"])
        }
    }

    @Test("The directory follows XDG_CACHE_HOME, else the home; a relative one does not count")
    func place() async throws {
        try await withTemporaryDirectory { path in
            let home = path.string
            for (variables, file) in [
                (["HOME": home], ".cache/handoff"), (["HOME": home, "XDG_CACHE_HOME": home + "/c"], "c/handoff"),
                (["HOME": home, "XDG_CACHE_HOME": "relative"], ".cache/handoff"),
            ] {
                #expect(await SiteCache(environment: variables)?.write([]) == true)
                #expect(try path.appending(file).names == ["associations"])
                try path.appending(file).appending("associations").removeFile()
            }
            #expect(SiteCache(environment: ["HOME": ""]) == nil)
        }
    }

    @Test(
        "A damaged file is no answer of any site",
        arguments: [
            "", "{", "[]", "{}", #"{"version":2,"sites":[]}"#, #"{"version":1,"sites":[{}]}"#,
            #"{"version":1,"sites":[{"host":"Example.org","asked":[],"approved":[],"next":1,"attempts":0}]}"#,
            #"{"version":1,"sites":[{"host":"example.org","asked":[],"approved":[],"next":1e400,"attempts":0}]}"#,
            String(repeating: "[", count: 100_000), String(repeating: " ", count: 2 << 20),
        ]
    )
    func damaged(text: String) async throws {
        try await withTemporaryDirectory { path in
            try path.appending("associations").write(text)
            #expect(SiteCache(in: path).read() == nil)
        }
    }

    @Test("A pipe or a link in place of the file is not read, and does not block", arguments: [true, false])
    func otherKinds(isPipe: Bool) async throws {
        try await withTemporaryDirectory { path in
            let file = path.appending("associations")
            if isPipe {
                try file.makePipe()
            } else {
                try path.appending("other").write(#"{"version":1,"sites":[]}"#)
                try FileManager.default.createSymbolicLink(atPath: file.string, withDestinationPath: "other")
            }
            #expect(SiteCache(in: path).read() == nil)
            #expect(await SiteCache(in: path).write([]), "it is replaced")
            #expect(SiteCache(in: path).read()?.isEmpty == true)
        }
    }

    @Test("Times, counts and texts that nobody has written are harmless")
    func extremes() throws {
        let text = """
            {"version":1,"sites":[{"host":"example.org","asked":["T.a"],"approved":["T.a","T.b"],
            "verified":\(Int64.min),"checked":\(Int64.max),"next":\(Int64.max),"attempts":-5,
            "failure":{"code":"unreachable","detail":"\\u0000\\u001b[2J\\u202e"},
            "validator":{"path":"/apple-app-site-association","entityTag":"\\"a\\r\\nX: y\\""}}]}
            """
        let record = try #require(SiteCache.records(in: Array(text.utf8))?.first)
        #expect(record.approved == ["T.a"] && record.attempts == 0 && record.validator == nil)
        #expect(record.failure?.detail == "[2J")
        var sites = SiteAssociations()
        var random = SystemRandomNumberGenerator()
        sites.restore([record], at: .now, using: &random)
        let app = try ApplicationIdentifier(team: "T", app: "a")
        let claim = SiteClaim(try AssociatedDomain("example.org"), by: app)
        sites.setClaims([claim], at: .now)
        sites.checkAll(at: .now)
        _ = sites.nextChange(at: .now)
        #expect(sites.status(of: claim, at: .now).verdict == .lapsed)
        #expect(sites.hasDueCheck(at: .now))
    }
}
