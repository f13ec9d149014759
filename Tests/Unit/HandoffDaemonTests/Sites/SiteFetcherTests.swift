import Epoll
import HandoffCore
import HandoffModel
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Programs that talk to sites are bounded", .endsWithin(minutes: 10))
struct SiteFetcherTests {
    private static func run(_ script: String, input: [UInt8] = [], limit: Duration = .seconds(20)) async throws
        -> BoundedProgram.Result
    {
        try await Reactor.withReactor { reactor in
            try await BoundedProgram(
                command: ["sh", "-c", script],
                input: input,
                environment: ["A": "1"],
                outputLimit: 1000,
                timeLimit: limit
            ).run(on: reactor)
        }
    }

    @Test("A program's status, output and input are passed on, and nothing of the daemon's environment")
    func passed() async throws {
        guard case .ended(3, let output) = try await Self.run("cat; /usr/bin/env; exit 3", input: [0x61, 0x0A]) else {
            return #expect(Bool(false))
        }
        let lines = Set(String(decoding: output, as: UTF8.self).split(separator: "\n"))
        #expect(lines.isSuperset(of: ["a", "A=1"]) && lines.count <= 5, "\(lines)")
        #expect(try await Self.run("kill -9 $$") == .ended(137, []))
    }

    @Test("A program that writes too much is killed")
    func tooMuch() async throws {
        let result = try await Self.run("while :; do echo 0123456789; done")
        guard case .exceeded(let output) = result else { return #expect(Bool(false), "\(result)") }
        #expect(output.count == 1000)
    }

    @Test("A program that takes too long is killed with what it has started")
    func tooLong() async throws {
        #expect(try await Self.run("sleep 600 & sleep 600", limit: .milliseconds(50)) == .timedOut)
    }

    @Test("A program that closes its output and goes on is killed")
    func goesOn() async throws {
        #expect(try await Self.run("exec >&-; exec sleep 600") == .ended(137, []))
    }

    @Test("A program that is not installed is told")
    func missing() async throws {
        try await Reactor.withReactor { reactor in
            let program = BoundedProgram(
                command: ["handoff-no-such-program"],
                environment: [:],
                outputLimit: 1,
                timeLimit: .seconds(1)
            )
            let result = try await program.run(on: reactor)
            #expect(result == .notStarted(.noSuchFileOrDirectory))
        }
    }

    @Test("A request is for https only, limited in time and size, and follows nothing")
    func command() throws {
        let host = try SiteHost("example.org")
        let words = SiteFetcher.fetching(.wellKnown, of: host, unless: "\"a\"")
        #expect(words[0...1] == ["curl", "-q"], "the user's configuration is not read only if -q comes first")
        #expect(words.last == "https://example.org/.well-known/apple-app-site-association")
        let text = words.joined(separator: " ")
        for option in [
            "--proto =https", "--tlsv1.2", "--max-redirs 0", "--max-time 10", "--user-agent site-association",
            "--header If-None-Match: \"a\"",
        ] {
            #expect(text.contains(option), "\(option)")
        }
        for option in ["--location", "-L", "--insecure", "-k", "--cookie", "--netrc", "--compressed"] {
            #expect(!words.contains(option))
        }
        #expect(!SiteFetcher.fetching(.root, of: host, unless: nil).contains("--header"))
    }

    @Test("An answer that is not complete counts only if its status says that it has no file")
    func incomplete() throws {
        let file = "HTTP/1.1 200 OK\r\n\r\n{\"activitycontinuation\":{\"apps\":[]}}"
        for (output, failure, step) in [
            (file, .tooLarge, .end(.failed(SiteFailure(.tooLarge)))),
            (file, .timedOut, .end(.failed(SiteFailure(.timedOut)))),
            ("HTTP/1.1 404 Not Found\r\n\r\n<html>", .tooLarge, .fetch(.root, unless: nil)),
            ("HTTP/1.1 410 Gone\r\n\r\n", .timedOut, .fetch(.root, unless: nil)),
            ("HTTP/1.1 404 Not Fou", .timedOut, .end(.failed(SiteFailure(.timedOut)))),
            ("", .insecure, .end(.failed(SiteFailure(.insecure)))),
        ] as [(String, SiteFailure.Code, SiteCheck.Step)] {
            var check = SiteCheck(of: try SiteHost("example.org"))
            let found = SiteFetcher.step(after: Array(output.utf8), for: &check, otherwise: SiteFailure(failure))
            #expect(found == step, "\(output)")
        }
    }

    @Test("A proxy is used also if it has a password; everything else of the environment is kept back")
    func environment() {
        let all = [
            "PATH": "/bin", "SSL_CERT_FILE": "/ca", "https_proxy": "http://user:secret@proxy:3128",
            "HTTPS_PROXY": "http://proxy:3128", "HOME": "/home/a", "LD_PRELOAD": "x", "CURL_HOME": "/x",
            "SSLKEYLOGFILE": "/k",
        ]
        let passed = SiteFetcher.environment { all[$0] }
        #expect(
            passed == [
                "PATH": "/bin", "SSL_CERT_FILE": "/ca", "https_proxy": "http://user:secret@proxy:3128",
                "HTTPS_PROXY": "http://proxy:3128",
            ]
        )
    }
}
