/// What decides which apps continue an activity: its type and its team.
///
/// Web pages belong to no team: any browser continues them.
package struct ActivityKind: Hashable, Comparable, Sendable {
    package let type: ActivityType
    /// The team whose apps continue the activity; nil for apps without a team.
    package let team: String?

    package init(_ type: ActivityType, team: String?) {
        self.type = type
        self.team = type == .browsingWeb ? nil : team
    }

    /// Compares the types, and of the same type the teams.
    package static func < (left: ActivityKind, right: ActivityKind) -> Bool {
        (left.type, left.team ?? "") < (right.type, right.team ?? "")
    }
}
