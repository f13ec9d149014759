/// Finds nearby activities by words.
package struct ActivitySearch: Sendable {
    /// The shortest word that is looked for, in characters; in scripts without spaces, one is a word.
    private static let shortestWord = 2
    /// What stands for all activities.
    private static let name = FoldedText("handoff")

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
    /// One fits a word that is the beginning of a word of its title, app, device or type, or of "handoff"; in scripts without
    /// spaces, one that is anywhere in them. Case and accents make no difference.
    package func matches(of terms: [String]) -> [Match] {
        let words = terms.flatMap { FoldedText($0).words }
        guard words.contains(where: { $0.isUnspaced || $0.text.count >= Self.shortestWord }) else { return [] }
        return activities.compactMap { activity in
            Self.relevance(of: activity, words).map { Match(activity: activity, relevance: $0) }
        }
        .enumerated().sorted { ($1.element.relevance, $0.offset) < ($0.element.relevance, $1.offset) }.map(\.element)
    }

    private static func relevance(of activity: ShownActivity, _ words: [FoldedText.Word]) -> Double? {
        let titles = FoldedText(activity.title ?? "").words + FoldedText(activity.app).words
        let others = FoldedText(activity.device).words + FoldedText(activity.type).words
        var relevance = 0.0
        for word in words {
            if titles.contains(where: { $0.matches(word) }) {
                relevance += 0.9
            } else if others.contains(where: { $0.matches(word) }) {
                relevance += 0.8
            } else if name.words.contains(where: { $0.matches(word) }) {
                relevance += 0.7
            } else {
                return nil
            }
        }
        return relevance / Double(words.count)
    }
}
