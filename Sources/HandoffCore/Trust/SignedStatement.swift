package import HandoffCrypto

/// A statement with its author's signature, which anybody may pass on.
package struct SignedStatement: Hashable, Sendable {
    /// What is signed before the content, so that no other signature of this protocol can be taken for one of these.
    package static let label = "handoffd v2 statement"
    /// The number of bytes in a signature (RFC 8032, section 5.1.6).
    package static let signatureBytes = 64

    package let statement: CircleStatement
    /// 64 bytes, which may be invalid.
    package let signature: [UInt8]

    /// Combines a statement and a signature that was checked, or that will be.
    package init(_ statement: CircleStatement, signature: [UInt8]) {
        self.statement = statement
        self.signature = signature
    }

    /// Signs a statement.
    package init(_ statement: CircleStatement, signedBy key: SigningKey) {
        self.init(statement, signature: key.sign(Self.label, statement.content))
    }

    /// Decodes a statement without checking its signature; returns nil for anything that is not a statement.
    package init?(bytes: [UInt8]) {
        guard bytes.count > Self.signatureBytes,
            let statement = CircleStatement(content: Array(bytes.dropLast(Self.signatureBytes)))
        else { return nil }
        self.init(statement, signature: Array(bytes.suffix(Self.signatureBytes)))
    }

    /// The statement as it is sent and stored: the content, then the signature.
    package var bytes: [UInt8] { statement.content + signature }

    /// Returns whether the signature is that of the device with these keys.
    package func isValid(for keys: DevicePublicKeys) -> Bool {
        keys.signing.isValid(signature, Self.label, statement.content)
    }
}
