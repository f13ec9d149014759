/// The name of a device as a message states it: UTF-8 text of at most 256 bytes, unchanged.
///
/// Signatures, digests and orders depend on its bytes, so it is stored and passed on as it came, whatever it contains.
/// ``name(of:)`` returns what may be shown (Docs/Protocol.md, "Names").
package struct StatedName: Hashable, Sendable, Comparable {
    /// The longest name that is accepted, in UTF-8 bytes: four times what a device sends, so that a later version may
    /// send more, and so little that the largest circle remains far below its limit.
    package static let maximumBytes = 256

    /// The text as it came.
    package let rawValue: String

    /// Accepts the text of a message.
    ///
    /// - Throws: ``ModelError/Code/invalidName`` when it is longer than ``maximumBytes``.
    package init(_ text: String) throws(ModelError) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw ModelError(
                .invalidName,
                "The name of a device in a message has at most \(Self.maximumBytes) bytes; this one has \(text.utf8.count)."
            )
        }
        rawValue = text
    }

    /// States a name of this device's own.
    package init(_ name: DeviceName) {
        rawValue = name.rawValue
    }

    /// Returns the name of the device `id` that may be shown and compared: the text without what a name cannot contain,
    /// and the text of `id` when nothing is left.
    package func name(of id: DeviceID) -> DeviceName { DeviceName(cleaning: rawValue, of: id) }

    /// Compares bytes: two Unicode spellings of one name are two statements.
    package static func == (left: Self, right: Self) -> Bool { left.rawValue.utf8.elementsEqual(right.rawValue.utf8) }

    package func hash(into hasher: inout Hasher) {
        hasher.combineExactly(rawValue)
    }

    /// Orders by bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}
