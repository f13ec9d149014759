/// A validated activity type: a short reverse-DNS name such as `org.example.editor.editing`.
///
/// It is not shown to users. It is ASCII, 3…255 bytes, and consists of at least two non-empty labels of letters,
/// digits, `_` and `-`, separated by dots. Apple's well-known type for browsing, which has no dot, is allowed too.
package struct ActivityType: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The type as it was given.
    package let rawValue: String

    /// The type for browsing the web, named as in Apple's Foundation so that browsers can claim it.
    package static let browsingWeb = ActivityType(unchecked: "NSUserActivityTypeBrowsingWeb")

    /// Parses a reverse-DNS name.
    ///
    /// - Throws: ``ModelError/Code/invalidActivityType`` for anything else.
    package init(_ string: String) throws(ModelError) {
        guard string != Self.browsingWeb.rawValue else {
            self = .browsingWeb
            return
        }
        // Shorter text is refused below, with an example of a type.
        guard (1...ActivityLimits.typeBytes).contains(string.utf8.count) else {
            throw ModelError(
                .invalidActivityType,
                "An activity type is 3 to \(ActivityLimits.typeBytes) bytes long; this one has \(string.utf8.count)."
            )
        }
        let labels = string.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy(Self.isLabel) else {
            throw ModelError(
                .invalidActivityType,
                "\(string.debugDescription) is not an activity type: use a reverse-DNS name such as com.example.app.editing."
            )
        }
        self.init(unchecked: string)
    }

    package var description: String { rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    private init(unchecked string: String) {
        rawValue = string
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        !label.isEmpty && label.allSatisfy { $0.isASCIIWordByte || $0 == UInt8(ascii: "-") }
    }
}
