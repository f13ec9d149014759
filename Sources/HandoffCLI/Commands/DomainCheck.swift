import DBus
import HandoffBus
import HandoffModel

/// What `handoffctl apps` tells about a domain that an app claims.
struct DomainDocument: Encodable {
    /// The id of the app.
    let app: String
    let domain: String
    /// `pending`, `approved`, `refused` or `lapsed`.
    let state: String
    let verified: String?
    let checked: String?
    /// A name for programs.
    let failure: String?
    let reason: String?

    init(_ domain: DomainDescription, of app: String) {
        self.app = app
        self.domain = domain.domain
        state = domain.state
        verified = Timestamp(microseconds: domain.verified)?.description
        checked = Timestamp(microseconds: domain.checked)?.description
        failure = domain.failure.isEmpty ? nil : domain.failure
        reason = domain.reason.isEmpty ? nil : domain.reason
    }
}

extension DomainDescription {
    /// Whether pages of the domain do not open the app, for a reason that the person or the site's owner can end.
    var isProblem: Bool { state == "refused" || state == "lapsed" || (state == "pending" && !reason.isEmpty) }

    /// What is known of it, for people, such as `verified on 2026-11-21 09:30`.
    func text(at now: Timestamp) -> String {
        let date = Timestamp(microseconds: verified)?.localMinute(at: now) ?? "an unknown date"
        let because = reason.isEmpty ? "" : ", because \(reason)"
        switch state {
        case "approved":
            return "verified on \(date)" + (reason.isEmpty ? "" : "; the last check failed\(because)")
        case "refused": return "refused\(because)"
        case "lapsed": return "not verified since \(date)\(because)"
        default: return reason.isEmpty ? "not yet checked" : "not yet verified\(because)"
        }
    }
}

extension HandoffClient {
    /// Has the sites of all domains that apps claim asked again, and waits until they have been.
    ///
    /// - Returns: the apps and the desktop files that cannot be used, as of then.
    func checkDomainsAndWait() async throws -> (apps: [AppDescription], faults: [AppFileFault]) {
        try await withSignals { signals in
            try await checkDomains()
            var list = try await apps()
            var iterator = signals.makeAsyncIterator()
            while list.apps.contains(where: { $0.domains.contains(where: \.isChecking) }) {
                guard let signal = try await iterator.next() else { throw CancellationError() }
                if signal.interface == HandoffName.appsInterface { list = try await apps() }
            }
            return list
        }
    }
}
