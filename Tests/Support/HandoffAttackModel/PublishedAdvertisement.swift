/// An advertisement of Apple's Handoff in the published format: 14 bytes after a company identifier.
///
/// A status byte and a counter are unencrypted. The counter is the nonce of AES-GCM, whose tag is truncated to one
/// byte. Researchers have described the layout in the notes of furiousMAC/continuity and of the viewers that followed
/// Stute et al., USENIX Security 2021.
package struct PublishedAdvertisement: Hashable, Sendable {
    /// Apple's company identifier, the message type and its length, which are the same in all advertisements.
    package static let header: [UInt8] = [0x4C, 0x00, 0x0C, 0x0E]

    /// The number of encrypted bytes.
    package static let plaintextBytes = 10

    /// Unencrypted: 0x08 if the clipboard has content.
    package var status: UInt8
    /// Unencrypted: the number of the advertisement.
    package var counter: UInt16
    package var tag: UInt8
    package var ciphertext: [UInt8]

    /// An advertisement with these parts.
    package init(status: UInt8, counter: UInt16, tag: UInt8, ciphertext: [UInt8]) {
        self.status = status
        self.counter = counter
        self.tag = tag
        self.ciphertext = ciphertext
    }

    /// Encrypts ten bytes.
    package init(sealing plaintext: [UInt8], status: UInt8 = 0, counter: UInt16, key: [UInt8]) throws {
        let mode = try GaloisCounterMode(key: key)
        let nonce = Self.nonce(counter)
        let ciphertext = try mode.apply(plaintext, nonce: nonce)
        let tag = try mode.tag(of: ciphertext, nonce: nonce, authenticating: [status])[0]
        self.init(status: status, counter: counter, tag: tag, ciphertext: ciphertext)
    }

    /// The ten bytes, or nil if the tag is wrong under this key.
    package func opened(with key: [UInt8]) throws -> [UInt8]? {
        let mode = try GaloisCounterMode(key: key)
        let nonce = Self.nonce(counter)
        guard try mode.tag(of: ciphertext, nonce: nonce, authenticating: [status])[0] == tag else { return nil }
        return try mode.apply(ciphertext, nonce: nonce)
    }

    /// The bytes that are advertised.
    package var bytes: [UInt8] { Self.header + [status] + Self.nonce(counter) + [tag] + ciphertext }

    private static func nonce(_ counter: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: counter), UInt8(truncatingIfNeeded: counter >> 8)]
    }
}
