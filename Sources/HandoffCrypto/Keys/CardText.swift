import HandoffModel

/// A device's card: one line with its keys and name, carried to another device by hand to trust it without pairing.
///
/// The line is `handoff2:` and the RFC 4648 base32 text, in lower case without padding, of these fields, with their
/// sizes in bytes: version 1, public keys 64, name 1…64, checksum 4. The version has the value 2. The checksum is the
/// first 4 bytes of the SHA-256 of everything before it; it detects mistakes, not forgeries. Nothing in it is secret.
package struct CardText: Hashable, Sendable {
    /// The card version that this code writes and reads.
    package static let version: UInt8 = 2

    private static let scheme = "handoff"
    private static let checksumBytes = 4
    private static let keyBytes = 1 + DevicePublicKeys.byteCount
    /// The longest line that is parsed.
    private static let maximumTextBytes = 1024

    /// The public keys that identify the device.
    package let publicKeys: DevicePublicKeys
    /// The device's name for people.
    package let name: String

    /// Makes a card.
    ///
    /// - Throws: ``CryptoError/Code/invalidName`` unless the name has 1…64 bytes.
    package init(publicKeys: DevicePublicKeys, name: String) throws(CryptoError) {
        guard (1...DeviceName.maximumBytes).contains(name.utf8.count) else {
            throw CryptoError(
                .invalidName,
                "The name on a card has 1 to \(DeviceName.maximumBytes) bytes; this one has \(name.utf8.count)."
            )
        }
        self.publicKeys = publicKeys
        self.name = name
    }

    /// Parses a line in upper or lower case; white space around it is ignored.
    ///
    /// - Throws: ``CryptoError/Code/notACard`` when it does not begin like a card, ``CryptoError/Code/newerCard`` when
    ///   a newer version made it, ``CryptoError/Code/olderCard`` when an older one did, or
    ///   ``CryptoError/Code/damagedCard`` when it contains a mistake; ``CryptoError/Code/weakKey`` or
    ///   ``CryptoError/Code/invalidKey`` when its keys must not be used.
    package init(parsing text: String) throws(CryptoError) {
        let body = try Self.body(of: text)
        guard let bytes = Base32.decode(body), bytes.count > Self.checksumBytes else { throw Self.damaged }
        let content = Array(bytes.dropLast(Self.checksumBytes))
        guard Self.checksum(of: content).elementsEqual(bytes.suffix(Self.checksumBytes)) else { throw Self.damaged }
        guard content[0] <= Self.version else { throw Self.newer }
        guard content[0] == Self.version else { throw Self.older }
        let nameBytes = content.count - Self.keyBytes
        guard (1...DeviceName.maximumBytes).contains(nameBytes),
            let name = String(validating: content[Self.keyBytes...], as: UTF8.self)
        else { throw Self.damaged }
        try self.init(
            publicKeys: DevicePublicKeys(rawRepresentation: content[1..<Self.keyBytes]),
            name: name
        )
    }

    /// The card as one line without white space.
    package var text: String {
        let content = [Self.version] + publicKeys.rawRepresentation + Array(name.utf8)
        return "\(Self.scheme)\(Self.version):" + Base32.encode(content + Self.checksum(of: content))
    }

    /// Returns the part after the colon of a card of this version.
    private static func body(of text: String) throws(CryptoError) -> Substring.UTF8View {
        let isBlank: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
        let line = (text.utf8.count <= maximumTextBytes ? text[...] : "").unicodeScalars.drop(while: isBlank)
        let head = line.prefix { $0 != ":" }
        let lowered = String(head).lowercased()
        let digits = lowered.dropFirst(scheme.count)
        guard lowered.hasPrefix(scheme), head.endIndex < line.endIndex, digits.count < 4, digits.first != "0",
            digits.allSatisfy(\.isWholeNumber), let number = UInt(digits)
        else {
            throw CryptoError(.notACard, "This is not a card: a card is one line that begins with handoff2: .")
        }
        guard number <= Int(version) else { throw newer }
        guard number == Int(version) else { throw older }
        let body = line[line.index(after: head.endIndex)...]
        let end = body.lastIndex { !isBlank($0) }.map { body.index(after: $0) } ?? body.startIndex
        return Substring(body[..<end]).utf8
    }

    private static func checksum(of content: [UInt8]) -> ArraySlice<UInt8> {
        HandoffDigest.sha256(content).prefix(checksumBytes)
    }

    private static var damaged: CryptoError {
        CryptoError(.damagedCard, "The card contains a mistake: copy the whole line again.")
    }

    private static var older: CryptoError {
        CryptoError(.olderCard, "The card was made by an older version of handoffd: update the device that made it.")
    }

    private static var newer: CryptoError {
        CryptoError(.newerCard, "The card was made by a newer version of handoffd: update this device.")
    }
}
