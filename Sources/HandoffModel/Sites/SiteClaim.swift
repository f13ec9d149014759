/// The name by which a web site approves an app: the team identifier, a dot, and the id of the desktop file.
///
/// It says what the desktop file says (Docs/Associations.md, "What an approval proves").
package struct ApplicationIdentifier: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name, in ASCII.
    package let description: String

    /// Joins a team and the id of a desktop file.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for a team that has other characters than letters, digits, `-`
    ///   and `_`, since with a dot in it one name would stand for several teams; and for an id that has others than
    ///   these and dots.
    package init(team: String, app: String) throws(ModelError) {
        let isName = { (byte: UInt8) in byte.isASCIIWordByte || byte == UInt8(ascii: "-") }
        guard !team.isEmpty, team.utf8.allSatisfy(isName) else {
            throw ModelError(
                .invalidIdentifier,
                "A web site can approve an app only by a team identifier (X-Handoff-TeamID) of letters, digits, - and _; "
                    + (team.isEmpty ? "this app has none." : "\(team.debugDescription) is none.")
            )
        }
        guard !app.isEmpty, app.utf8.allSatisfy({ isName($0) || $0 == UInt8(ascii: ".") }) else {
            throw ModelError(
                .invalidIdentifier,
                "A web site can approve an app only by a file name of letters, digits, dots, - and _."
            )
        }
        description = "\(team).\(app)"
    }

    package static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}

/// What an app asks a web site for: that pages of the domain open the app.
package struct SiteClaim: Hashable, Sendable {
    package let domain: AssociatedDomain
    package let app: ApplicationIdentifier

    package init(_ domain: AssociatedDomain, by app: ApplicationIdentifier) {
        self.domain = domain
        self.app = app
    }
}
