/// A device's advertising key as the device tells it to those that it trusts: the key of a day, and an identifier that
/// stays while the key moves forward.
package struct AdvertisingKeyRecord: Hashable, Sendable {
    /// Identifies a key and all that follow from it, and says nothing about the key (``KeyIdentifierSource``).
    package struct ID: Hashable, Sendable {
        /// The number of bytes in an identifier.
        package static let byteCount = 8

        /// The identifier's 8 bytes.
        package let bytes: [UInt8]

        /// Makes an identifier of exactly 8 bytes.
        ///
        /// - Throws: ``CryptoError/Code/invalidKey`` for any other count.
        package init(bytes: some Collection<UInt8>) throws(CryptoError) {
            guard bytes.count == Self.byteCount else {
                throw CryptoError(.invalidKey, "The identifier of a key has 8 bytes, got \(bytes.count).")
            }
            self.bytes = Array(bytes)
        }

        /// Returns an identifier that no source recognizes.
        package static func random() -> ID {
            var generator = SystemRandomNumberGenerator()
            return ID(unchecked: (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }

        init(unchecked bytes: [UInt8]) {
            self.bytes = bytes
        }
    }

    /// The number of bytes in ``rawRepresentation``: the key, its day and its identifier.
    package static let byteCount = DailyKey.byteCount + ID.byteCount

    package let id: ID
    /// The key of the present day.
    package let daily: DailyKey

    /// Returns a new key for a day, in days since 1970.
    package static func generate(day: UInt32, id: ID = .random()) -> AdvertisingKeyRecord {
        AdvertisingKeyRecord(id: id, daily: .generate(day: day))
    }

    /// Combines a key and its identifier.
    package init(id: ID, daily: DailyKey) {
        self.id = id
        self.daily = daily
    }

    /// Makes a record of exactly 44 bytes: the key (32), its day (4, big-endian) and its identifier (8).
    ///
    /// - Throws: ``CryptoError/Code/invalidKey`` for any other count.
    package init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
        guard rawRepresentation.count == Self.byteCount else {
            throw CryptoError(
                .invalidKey,
                "An advertising key with its day and its identifier has \(Self.byteCount) bytes, "
                    + "got \(rawRepresentation.count)."
            )
        }
        daily = try DailyKey(rawRepresentation: rawRepresentation.prefix(DailyKey.byteCount))
        id = try ID(bytes: rawRepresentation.dropFirst(DailyKey.byteCount))
    }

    /// The record in 44 bytes, which only the circle may know.
    package var rawRepresentation: [UInt8] { daily.rawRepresentation + id.bytes }

    /// Returns which of two records to keep, of which the other one is told now: the earlier day of the same key, from which
    /// the later one follows; else the one that is told.
    package func joined(with told: AdvertisingKeyRecord) -> AdvertisingKeyRecord {
        id == told.id && daily.leads(to: told.daily) ? self : told
    }

    /// Returns the record to keep during `slot` (``DailyKey/kept(at:)``).
    package func kept(at slot: UInt64) -> AdvertisingKeyRecord {
        AdvertisingKeyRecord(id: id, daily: daily.kept(at: slot))
    }
}
