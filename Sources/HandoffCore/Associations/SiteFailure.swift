/// Why a web site has not approved an app.
package struct SiteFailure: Error, Hashable, Sendable {
    /// The kind of failure.
    package enum Code: String, Sendable, Codable, CaseIterable {
        /// The program that fetches or verifies is not installed.
        case toolMissing
        /// The host is unknown, or nothing answers there; or this device has no network.
        case unreachable
        /// The answer was not complete in time.
        case timedOut
        /// The server has no certificate that is valid for the host now.
        case insecure
        /// The server sends its visitors elsewhere.
        case redirected
        /// The server answers with an unexpected status.
        case badStatus
        /// There is no file.
        case absent
        /// The file has more than ``AssociationFile/maximumBytes``.
        case tooLarge
        /// The answer is not one of HTTP.
        case invalidAnswer
        /// The file is declared to be of another kind, such as a web page.
        case wrongType
        /// The file is not the JSON document that it should be.
        case invalidFile
        /// The file is signed, and not by a certificate that is valid for the host now.
        case badSignature
        /// The file does not name the app.
        case notListed
        /// Apps claim more sites than are checked.
        case tooManySites
        /// The app cannot be named to a site.
        case unnamed
        /// The person denies the app or the site.
        case denied
    }

    package let code: Code
    /// What is particular to it, in ASCII: a number, or words; empty for nothing.
    package let detail: String

    package init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Whether the site has answered, so that what it said counts as a refusal; else it was not asked yet.
    ///
    /// Who has no valid certificate may be anybody, such as the portal of a network, or this device's clock is wrong.
    package var isAnswer: Bool {
        switch code {
        case .toolMissing, .unreachable, .timedOut, .insecure: false
        default: true
        }
    }

    /// Whether the next attempt may well succeed without anybody changing the file: the site was not asked, or is out
    /// of order.
    package var mayPass: Bool {
        switch code {
        case .badStatus, .invalidAnswer: true
        default: !isAnswer
        }
    }

    /// The failure as the part of a sentence that follows "because".
    package var reason: String {
        switch code {
        case .toolMissing: "\(detail) is not installed"
        case .unreachable: "the site cannot be reached"
        case .timedOut: "the site did not answer completely within 10 s"
        case .insecure: "the site has no certificate that is valid for its name now"
        case .redirected: "the site redirects to another address, which is not followed"
        case .badStatus: "the site answers with the status \(detail)"
        case .absent: "the site has no association file"
        case .tooLarge: "the association file has more than 128 KiB"
        case .invalidAnswer: "the site does not answer as a web server does"
        case .wrongType: "the association file is declared to be \(detail)"
        case .invalidFile: "the association file is not valid: \(detail)"
        case .badSignature: "the signature of the association file is not valid for the site"
        case .notListed: "the association file does not name \(detail)"
        case .tooManySites: "apps claim more than \(SiteAssociations.maximumSites) sites"
        case .unnamed:
            "it has no X-Handoff-TeamID of letters, digits, - and _, or its file's name has other characters than these and dots"
        case .denied: "a rule denies the app or the site; `handoffctl rules` lists the rules"
        }
    }
}

extension SiteFailure: Codable {
    private enum Key: String, CodingKey {
        case code, detail
    }

    /// Reads a failure; of the detail, at most 200 visible characters of ASCII.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        code = try container.decode(Code.self, forKey: .code)
        let text = try container.decode(String.self, forKey: .detail)
        detail = String(decoding: text.utf8.filter { (0x20...0x7E).contains($0) }.prefix(200), as: UTF8.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(code, forKey: .code)
        try container.encode(detail, forKey: .detail)
    }
}
