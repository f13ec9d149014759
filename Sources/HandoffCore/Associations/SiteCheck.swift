package import HandoffModel

/// Where a site keeps its file, in the order in which they are looked at ("Supporting associated domains", Apple).
package enum AssociationPath: String, Sendable, Codable, CaseIterable {
    case wellKnown = "/.well-known/apple-app-site-association"
    case root = "/apple-app-site-association"
}

/// By what a server recognises that a file has not changed since.
package struct SiteValidator: Hashable, Sendable, Codable {
    package let path: AssociationPath
    /// The entity tag of the file.
    package let entityTag: String

    package init(path: AssociationPath, entityTag: String) {
        self.path = path
        self.entityTag = entityTag
    }
}

/// How a check of a site has ended.
package enum SiteOutcome: Hashable, Sendable {
    /// The site has a file.
    case file(AssociationFile, SiteValidator?)
    /// The file is the one that was read before.
    case unchanged
    /// It could not be found out, or the site has no valid file.
    case failed(SiteFailure)
}

/// One check of a site: what to fetch, what to verify, and what follows from it.
///
/// The path below `.well-known` decides, unless there is no file: only then the other one is looked at.
package struct SiteCheck: Hashable, Sendable {
    /// What has to be done next.
    package enum Step: Hashable, Sendable {
        /// Fetch a file over HTTPS, unless it has the entity tag.
        case fetch(AssociationPath, unless: String?)
        /// Verify that signed content (CMS) is signed by a certificate that is valid for the host.
        case verify([UInt8])
        case end(SiteOutcome)
    }

    package let host: SiteHost
    /// Distinguishes it from other checks of the host.
    let number: UInt64
    private let validator: SiteValidator?
    private var path = AssociationPath.wellKnown

    /// - Parameters:
    ///   - host: the host.
    ///   - validator: that of the file that was read before; nil to read it whatever it is.
    ///   - number: distinguishes the check from others of the host.
    package init(of host: SiteHost, validator: SiteValidator? = nil, number: UInt64 = 0) {
        self.host = host
        self.validator = validator
        self.number = number
    }

    /// The first step.
    package var firstStep: Step { .fetch(path, unless: entityTag) }

    /// Returns the step that follows an answer of the server.
    package mutating func received(_ response: SiteResponse) -> Step {
        switch response.status {
        case 200: return read(response)
        case 304 where entityTag != nil: return .end(.unchanged)
        case 300...399: return .end(.failed(SiteFailure(.redirected)))
        case 404, 410:
            guard path == .wellKnown else { return .end(.failed(SiteFailure(.absent))) }
            path = .root
            return firstStep
        case let status: return .end(.failed(SiteFailure(.badStatus, "\(status)")))
        }
    }

    /// Returns the step that follows when signed content is valid.
    package func verified(_ content: [UInt8]) -> Step {
        // Without a validator: a signature is verified again each time, since its certificate expires.
        readPlain(content, nil)
    }

    /// Returns the step that follows when the server has not answered, or a signature is not valid.
    package func failed(_ failure: SiteFailure) -> Step { .end(.failed(failure)) }

    private var entityTag: String? { validator?.path == path ? validator?.entityTag : nil }

    private func read(_ response: SiteResponse) -> Step {
        guard response.content.count <= AssociationFile.maximumBytes else { return failed(SiteFailure(.tooLarge)) }
        let type = response.mediaType ?? ""
        // Apple's signed form; 0x30 is the SEQUENCE with which each of them begins, and no JSON document does.
        if Self.signedTypes.contains(type) || (Self.plainTypes.contains(type) && response.content.first == 0x30) {
            return .verify(response.content)
        }
        guard Self.plainTypes.contains(type) else { return failed(SiteFailure(.wrongType, type)) }
        return readPlain(response.content, response.entityTag)
    }

    private func readPlain(_ content: [UInt8], _ entityTag: String?) -> Step {
        do throws(SiteFailure) {
            let file = try AssociationFile(content)
            return .end(.file(file, entityTag.map { SiteValidator(path: path, entityTag: $0) }))
        } catch {
            return failed(error)
        }
    }

    private static let signedTypes: Set<String> = ["application/pkcs7-mime", "application/x-pkcs7-mime"]
    /// The type of JSON, and what servers declare for a file without a suffix.
    ///
    /// A page or a text is what visitors of a site may have written, also at its root.
    private static let plainTypes: Set<String> = [
        "application/json", "application/octet-stream", "binary/octet-stream", "",
    ]
}
