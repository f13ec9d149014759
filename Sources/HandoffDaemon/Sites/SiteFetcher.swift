import Epoll
import Glibc
import HandoffCore
import HandoffModel

/// Carries out checks of sites by two programs of the system: curl(1) fetches, openssl(1) verifies signatures.
///
/// Both parse what strangers send, so they are processes without the daemon's memory and with its sandbox
/// (Docs/Decisions/0036).
struct SiteFetcher: Sendable {
    let reactor: Reactor

    /// What curl is told to limit itself to, in seconds.
    static let timeLimit = 10
    /// The longest time that a program may take: curl a little more than it is told, openssl much less.
    private static let programLimit = Duration.seconds(timeLimit + 2)
    /// The `User-Agent`: what the path of the request says anyway, and nothing of this device.
    private static let agent = "site-association"

    /// Makes a check; returns how it has ended.
    ///
    /// - Throws: `CancellationError`.
    func outcome(of check: SiteCheck) async throws -> SiteOutcome {
        var check = check
        var step = check.firstStep
        while true {
            switch step {
            case .fetch(let path, let entityTag):
                step = try await fetch(Self.fetching(path, of: check.host, unless: entityTag), for: &check)
            case .verify(let content): step = try await verify(content, for: check)
            case .end(let outcome): return outcome
            }
        }
    }

    private func fetch(_ command: [String], for check: inout SiteCheck) async throws -> SiteCheck.Step {
        let limit = SiteResponse.maximumHeadBytes + AssociationFile.maximumBytes
        switch try await run(command, outputLimit: limit) {
        case .ended(0, let bytes): return Self.step(after: bytes, for: &check, otherwise: nil)
        case .exceeded(let bytes): return Self.step(after: bytes, for: &check, otherwise: SiteFailure(.tooLarge))
        case .ended(let status, let bytes):
            return Self.step(after: bytes, for: &check, otherwise: Self.failure(ofCurl: status))
        case .timedOut: return check.failed(SiteFailure(.timedOut))
        case .notStarted: return check.failed(SiteFailure(.toolMissing, "curl"))
        }
    }

    /// Returns the step that follows from the output of curl.
    ///
    /// - Parameter failure: why the answer is not complete; nil when it is. An answer without a file counts all the
    ///   same: its status says everything, and the page for visitors that comes with it may be large and slow.
    static func step(
        after output: [UInt8],
        for check: inout SiteCheck,
        otherwise failure: SiteFailure?
    ) -> SiteCheck.Step {
        do throws(SiteFailure) {
            let response = try SiteResponse(output)
            if let failure, response.status == 200 { return check.failed(failure) }
            return check.received(response)
        } catch {
            return check.failed(failure ?? error)
        }
    }

    private func verify(_ content: [UInt8], for check: SiteCheck) async throws -> SiteCheck.Step {
        let command = Self.verifying(check.host)
        switch try await run(command, input: content, outputLimit: AssociationFile.maximumBytes) {
        case .ended(0, let plain): return check.verified(plain)
        case .notStarted: return check.failed(SiteFailure(.toolMissing, "openssl"))
        case .ended, .exceeded, .timedOut: return check.failed(SiteFailure(.badSignature))
        }
    }

    private func run(
        _ command: [String],
        input: [UInt8] = [],
        outputLimit: Int
    ) async throws -> BoundedProgram.Result {
        let program = BoundedProgram(
            command: command,
            input: input,
            environment: Self.environment,
            outputLimit: outputLimit,
            timeLimit: Self.programLimit
        )
        return try await program.run(on: reactor)
    }

    // MARK: Commands

    /// The command line of curl(1) from 7.61 on for one request; its output is the head and the content of the answer.
    ///
    /// Without redirects, cookies, the user's configuration or passwords: none of these is on by default but the
    /// configuration, which `-q` as the first argument turns off.
    static func fetching(_ path: AssociationPath, of host: SiteHost, unless entityTag: String?) -> [String] {
        let condition = entityTag.map { ["--header", "If-None-Match: \($0)"] } ?? []
        return [
            "curl", "-q", "--silent", "--include", "--suppress-connect-headers", "--globoff",
            "--proto", "=https", "--tlsv1.2", "--http1.1", "--max-redirs", "0", "--disallow-username-in-url",
            "--max-time", "\(timeLimit)", "--user-agent", agent,
        ] + condition + ["--url", "https://\(host)\(path.rawValue)"]
    }

    /// The command line of openssl(1) that verifies signed content on its standard input; its output is the content.
    static func verifying(_ host: SiteHost) -> [String] {
        [
            "openssl", "cms", "-verify", "-binary", "-inform", "DER", "-purpose", "sslserver",
            "-verify_hostname", host.description,
        ]
    }

    /// What an exit status of curl(1) means, but 0.
    static func failure(ofCurl status: Int32) -> SiteFailure {
        switch status {
        // An option that an old version does not have.
        case 2: SiteFailure(.toolMissing, "curl 7.61 or newer")
        case 28: SiteFailure(.timedOut)
        case 35, 51, 53, 54, 58, 59, 60, 66, 77, 80, 82, 83, 90, 91, 98: SiteFailure(.insecure)
        case 47: SiteFailure(.redirected)
        case 1, 8, 52, 61: SiteFailure(.invalidAnswer)
        default: SiteFailure(.unreachable)
        }
    }

    // MARK: Environment

    /// The variables that both programs get of the daemon's: where programs are, which certificate authorities the user
    /// trusts, and which proxies are to be used.
    private static var environment: [String: String] {
        environment { getenv($0).map { String(cString: $0) } }
    }

    /// The same, of any variables.
    static func environment(of variable: (String) -> String?) -> [String: String] {
        var values: [String: String] = [:]
        for name in passedVariables { values[name] = variable(name) }
        return values
    }

    /// A proxy with a password is passed on as well: without it, the request would bypass the proxy.
    private static let passedVariables = [
        "PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "https_proxy", "HTTPS_PROXY", "all_proxy",
        "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]
}
