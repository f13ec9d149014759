package import HandoffModel

/// The file by which a web site approves apps: Apple's `apple-app-site-association`, as far as it concerns Handoff.
///
/// A JSON document (RFC 8259) whose member `activitycontinuation` has a member `apps`, a list of application
/// identifiers. Everything else in it is for other services, and skipped.
package struct AssociationFile: Hashable, Sendable {
    /// The longest file in bytes: Apple's own limit for the signed and the plain form ("Supporting associated
    /// domains").
    package static let maximumBytes = 128 * 1024
    /// The deepest nesting of objects and lists: Apple's format has eight levels.
    private static let maximumDepth = 32
    /// The most apps: many more than a site has.
    package static let maximumApps = 1000

    /// The approved apps, in ASCII: an identifier of other characters names no app.
    package let apps: Set<String>

    /// Reads a file.
    ///
    /// - Throws: ``SiteFailure`` with `tooLarge`, or with `invalidFile` for what is not JSON in UTF-8, nests more than
    ///   32 deep, has a key twice in one object, or has another type where apps are listed. A
    ///   file without the member approves nothing.
    package init(_ bytes: [UInt8]) throws(SiteFailure) {
        guard bytes.count <= Self.maximumBytes else { throw SiteFailure(.tooLarge) }
        do {
            apps = try Self.apps(in: bytes)
        } catch {
            throw SiteFailure(.invalidFile, error.message)
        }
    }

    private static func apps(in bytes: [UInt8]) throws(JSONScanner.Fault) -> Set<String> {
        var scanner = JSONScanner(bytes, .standard, maximumDepth: maximumDepth)
        var apps: Set<String> = []
        try scanner.readDocument { scanner, key throws(JSONScanner.Fault) in
            guard key == "activitycontinuation" else { return try scanner.skipValue() }
            try scanner.readObject { scanner, key throws(JSONScanner.Fault) in
                guard key == "apps" else { return try scanner.skipValue() }
                try scanner.readArray { scanner throws(JSONScanner.Fault) in
                    let app = try scanner.readString()
                    if app.utf8.allSatisfy({ $0 < 0x80 }) { apps.insert(app) }
                    guard apps.count <= maximumApps else {
                        throw JSONScanner.Fault("it lists more than \(maximumApps) apps")
                    }
                }
            }
        }
        return apps
    }

    package func approves(_ app: ApplicationIdentifier) -> Bool { apps.contains(app.description) }
}
