import Crypto

/// The source of the keys, one for each day, under which one device advertises to another one with which it shares
/// nothing but the two key pairs.
///
/// The keys are no forward-secret chain: whoever gets one of the two private keys can derive all of them. They serve
/// until the receiver has told a key of its own (``DirectedAdvertisingKeys``).
package struct PairedKey: Hashable, Sendable {
    private let secret: SymmetricKey
    /// What precedes the day in the info: the label, the sender's public key and the receiver's.
    private let infoPrefix: [UInt8]

    /// Makes the source of one direction from the static-static Diffie-Hellman result.
    init(_ secret: SymmetricKey, from sender: AgreementPublicKey, to receiver: AgreementPublicKey) {
        self.secret = secret
        infoPrefix = Array("handoffd v2 news".utf8) + sender.rawRepresentation + receiver.rawRepresentation
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(infoPrefix)
    }

    /// Returns the key of a day, in days since 1970.
    package func key(of day: UInt32) -> AdvertisingKey {
        AdvertisingKey(secret).derived(info: infoPrefix + UInt64(day).bigEndianBytes(4))
    }
}
