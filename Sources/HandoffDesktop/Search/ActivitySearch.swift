/// Finds nearby activities by words.
package struct ActivitySearch: Sendable {
    /// The shortest word that is looked for, in characters.
    private static let shortestWord = 2
    /// What stands for all activities.
    private static let name = "handoff"

    /// An activity that fits.
    package struct Match: Hashable, Sendable {
        package let activity: ShownActivity
        /// 0 to 1: how well it fits.
        package let relevance: Double
    }

    private let activities: [ShownActivity]

    /// Makes a search among activities; those that cannot be continued here are never found.
    package init(_ activities: [ShownActivity]) {
        self.activities = activities.filter { $0.obstacle == nil }
    }

    /// Returns the activities that fit all words of `terms`, the best first.
    ///
    /// One fits a word that is the beginning of a word of its title, app, device or type, or of "handoff". Case makes no
    /// difference.
    package func matches(of terms: [String]) -> [Match] {
        let words = terms.flatMap { Self.words(in: $0) }
        guard words.contains(where: { $0.count >= Self.shortestWord }) else { return [] }
        return activities.compactMap { activity in
            Self.relevance(of: activity, words).map { Match(activity: activity, relevance: $0) }
        }
        .enumerated().sorted { ($1.element.relevance, $0.offset) < ($0.element.relevance, $1.offset) }.map(\.element)
    }

    private static func relevance(of activity: ShownActivity, _ words: [String]) -> Double? {
        let titles = Self.words(in: activity.title ?? "") + Self.words(in: activity.app)
        let others = Self.words(in: activity.device) + Self.words(in: activity.type)
        var relevance = 0.0
        for word in words {
            if titles.contains(where: { $0.hasPrefix(word) }) {
                relevance += 0.9
            } else if others.contains(where: { $0.hasPrefix(word) }) {
                relevance += 0.8
            } else if name.hasPrefix(word) {
                relevance += 0.7
            } else {
                return nil
            }
        }
        return relevance / Double(words.count)
    }

    private static func words(in text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
