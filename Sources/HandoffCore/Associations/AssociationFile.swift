package import HandoffModel

/// The file by which a web site approves apps: Apple's `apple-app-site-association`, as far as it concerns Handoff.
///
/// A JSON document (RFC 8259) whose member `activitycontinuation` has a member `apps`, a list of application
/// identifiers. Everything else in it is for other services, and skipped.
package struct AssociationFile: Hashable, Sendable {
    /// The longest file in bytes: Apple's own limit for the signed and the plain form ("Supporting associated
    /// domains").
    package static let maximumBytes = 128 * 1024
    /// The most apps: many more than a site has.
    package static let maximumApps = 1000

    /// The approved apps, in ASCII: an identifier of other characters names no app.
    package let apps: Set<String>

    /// Reads a file.
    ///
    /// - Throws: ``SiteFailure`` with `tooLarge`, or with `invalidFile` for what is not JSON in UTF-8, nests more than
    ///   `JSONScanner.maximumDepth` deep, has a key twice in one object, or has another type where apps are listed. A
    ///   file without the member approves nothing.
    package init(_ bytes: [UInt8]) throws(SiteFailure) {
        guard bytes.count <= Self.maximumBytes else { throw SiteFailure(.tooLarge) }
        var scanner = JSONScanner(bytes)
        var apps: Set<String> = []
        try scanner.readDocument { scanner, key throws(SiteFailure) in
            guard key == "activitycontinuation" else { return try scanner.skipValue() }
            try scanner.readObject { scanner, key throws(SiteFailure) in
                guard key == "apps" else { return try scanner.skipValue() }
                try scanner.readArray { scanner throws(SiteFailure) in
                    let app = try scanner.readString()
                    if app.utf8.allSatisfy({ $0 < 0x80 }) { apps.insert(app) }
                    guard apps.count <= Self.maximumApps else {
                        throw SiteFailure(.invalidFile, "it lists more than \(Self.maximumApps) apps")
                    }
                }
            }
        }
        self.apps = apps
    }

    package func approves(_ app: ApplicationIdentifier) -> Bool { apps.contains(app.description) }
}
