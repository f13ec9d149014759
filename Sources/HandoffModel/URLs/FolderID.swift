/// The id of a synchronised folder, the same on all of a user's devices: 1…64 letters, digits, `.`, `-` and `_`.
///
/// It begins with a letter or digit. Syncthing's folder IDs have this form.
package struct FolderID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let rawValue: String

    /// The longest id in bytes.
    package static let maximumBytes = 64

    /// Parses an id.
    ///
    /// - Throws: ``ModelError/Code/invalidFolder`` for any other form.
    package init(_ text: String) throws(ModelError) {
        let bytes = text.utf8
        let isWell =
            (1...Self.maximumBytes).contains(bytes.count) && bytes.first?.isASCIIAlphanumeric == true
            && bytes.allSatisfy { $0.isASCIIWordByte || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
        guard isWell else {
            throw ModelError(
                .invalidFolder,
                "A folder's id has 1 to \(Self.maximumBytes) letters, digits, '.', '-' and '_' and begins with a letter or "
                    + "digit; \(text.debugDescription) does not."
            )
        }
        rawValue = text
    }

    package var description: String { rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
