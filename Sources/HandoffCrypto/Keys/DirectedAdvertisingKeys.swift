import Crypto

/// The keys of directed advertisements between two devices, by which one offers the other a circle update.
///
/// They do not change with the circle: a device that was away while all others replaced their advertising keys can
/// still be notified.
package struct DirectedAdvertisingKeys: Hashable, Sendable {
    /// Seals the advertisements of this device to the other.
    package let sending: SealingKey
    /// Opens the advertisements of the other device to this one.
    package let receiving: SealingKey

    /// Derives the keys of two devices that share no secret: each day's by HKDF-SHA-256 (RFC 5869) from the
    /// static-static Diffie-Hellman result, without salt; the info contains the sender's and the receiver's public keys
    /// and the day.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when the other device's key is of low order.
    package init(local: AgreementKey, remote: AgreementPublicKey) throws(CryptoError) {
        let secret = SymmetricKey(data: try local.sharedSecret(with: remote))
        sending = .paired(PairedKey(secret, from: local.publicKey, to: remote))
        receiving = .paired(PairedKey(secret, from: remote, to: local.publicKey))
    }

    /// Begins the two chains of daily keys of devices that share a secret, one chain for each direction.
    ///
    /// The chains replace the secret: keep ``dailyKeys``, and forget the secret, from which the keys of `day` follow.
    ///
    /// - Parameters:
    ///   - secret: 32 bytes that only the two devices know.
    ///   - day: the day of the first keys, in days since 1970; the same on both devices.
    ///   - local: this device's public key.
    ///   - remote: the other device's public key.
    /// - Throws: ``CryptoError/Code/invalidKey`` when the secret does not have 32 bytes.
    package init(
        secret: some Collection<UInt8>,
        day: UInt32,
        local: AgreementPublicKey,
        remote: AgreementPublicKey
    ) throws(CryptoError) {
        let secret = try AdvertisingKey(rawRepresentation: secret)
        func first(from sender: AgreementPublicKey, to receiver: AgreementPublicKey) -> DailyKey {
            let info = Array("handoffd v2 directed".utf8) + sender.rawRepresentation + receiver.rawRepresentation
            return DailyKey(key: secret.derived(info: info), day: day)
        }
        self.init(sending: first(from: local, to: remote), receiving: first(from: remote, to: local))
    }

    /// Makes the keys from the two chains as they were kept.
    package init(sending: DailyKey, receiving: DailyKey) {
        self.sending = .daily(sending)
        self.receiving = .daily(receiving)
    }

    /// The two chains, to be kept; nil for devices that share no secret.
    package var dailyKeys: (sending: DailyKey, receiving: DailyKey)? {
        guard case .daily(let sending) = sending, case .daily(let receiving) = receiving else { return nil }
        return (sending, receiving)
    }

    /// Returns the keys to keep during `slot`, in place of these (``DailyKey/kept(at:)``).
    package func kept(at slot: UInt64) -> DirectedAdvertisingKeys {
        guard let dailyKeys else { return self }
        return DirectedAdvertisingKeys(
            sending: dailyKeys.sending.kept(at: slot),
            receiving: dailyKeys.receiving.kept(at: slot)
        )
    }
}
