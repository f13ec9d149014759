/// An advertisement of Apple's Handoff, as researchers have published its format: 14 bytes behind a company identifier.
///
/// A status byte and a counter stand in clear; the counter is the nonce of AES-GCM, whose tag is cut to one byte. The
/// layout is described in the notes of furiousMAC/continuity and of the viewers that came of Stute et al., USENIX
/// Security 2021.
package struct PublishedAdvertisement: Hashable, Sendable {
    /// Apple's company identifier, the type of the message, and its length: the same in all of them.
    package static let header: [UInt8] = [0x4C, 0x00, 0x0C, 0x0E]

    /// How many bytes are sealed.
    package static let plaintextBytes = 10

    /// In clear: 0x08 when something lies on the clipboard.
    package var status: UInt8
    /// In clear: counts advertisements.
    package var counter: UInt16
    package var tag: UInt8
    package var ciphertext: [UInt8]

    /// Takes the parts as they are.
    package init(status: UInt8, counter: UInt16, tag: UInt8, ciphertext: [UInt8]) {
        self.status = status
        self.counter = counter
        self.tag = tag
        self.ciphertext = ciphertext
    }

    /// Seals ten bytes.
    package init(sealing plaintext: [UInt8], status: UInt8 = 0, counter: UInt16, key: [UInt8]) throws {
        let mode = try GaloisCounterMode(key: key)
        let nonce = Self.nonce(counter)
        let ciphertext = try mode.apply(plaintext, nonce: nonce)
        let tag = try mode.tag(of: ciphertext, nonce: nonce, authenticating: [status])[0]
        self.init(status: status, counter: counter, tag: tag, ciphertext: ciphertext)
    }

    /// The ten bytes, when the tag is right under this key.
    package func opened(with key: [UInt8]) throws -> [UInt8]? {
        let mode = try GaloisCounterMode(key: key)
        let nonce = Self.nonce(counter)
        guard try mode.tag(of: ciphertext, nonce: nonce, authenticating: [status])[0] == tag else { return nil }
        return try mode.apply(ciphertext, nonce: nonce)
    }

    /// What is on the air.
    package var bytes: [UInt8] { Self.header + [status] + Self.nonce(counter) + [tag] + ciphertext }

    private static func nonce(_ counter: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: counter), UInt8(truncatingIfNeeded: counter >> 8)]
    }
}
