/// The id of an app: the name of its desktop file without the suffix `.desktop` (Desktop Entry Specification, "Desktop
/// File ID").
package struct DesktopFileID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The longest id in bytes: that of a file name, as everywhere on the bus.
    package static let maximumBytes = 255

    /// The id.
    package let description: String

    /// Parses an id, such as `org.example.Editor`.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for text that is empty, longer than ``maximumBytes``, or has a
    ///   slash, white space or a character that is not to be seen.
    package init(_ text: String) throws(ModelError) {
        let isVisible = text.unicodeScalars.allSatisfy {
            $0.isHarmlessInLine && !$0.properties.isWhitespace && $0 != "/"
        }
        guard isVisible, (1...Self.maximumBytes).contains(text.utf8.count) else {
            throw ModelError(
                .invalidIdentifier,
                "\(text.debugDescription) is not the id of an app: use the name of its desktop file without .desktop, "
                    + "such as org.example.Editor."
            )
        }
        description = text
    }

    package static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}
