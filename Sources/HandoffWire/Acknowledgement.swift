/// "I have all of it and continue": the caller's last message.
package struct Acknowledgement: Hashable, Sendable {
    /// The most bytes that an acknowledgement may have; today it has none, the rest is for newer versions.
    package static let maximumBytes = 1024

    /// Makes an acknowledgement.
    package init() {}

    /// The bytes of this acknowledgement.
    package func encode() -> [UInt8] {
        MessageCoding.encode(Handoff_V1_Acknowledgement())
    }

    /// Reads an acknowledgement.
    ///
    /// - Throws: ``WireError/Code/malformed`` or ``WireError/Code/tooLarge``.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        _ = try MessageCoding.decode(Handoff_V1_Acknowledgement.self, from: bytes, limit: Self.maximumBytes)
    }
}
