import Crypto
import CryptoExtras
import HandoffCrypto

/// The cost of handling one received advertisement, by the number of trusted devices.
enum AdvertisementBenchmark {
    private static let slot: UInt64 = 2_000_000
    private static let plaintext: [UInt8] = [0x81, 1, 2, 3, 4, 5]

    static func table(_ effort: Effort) throws -> ResultTable {
        var table = ResultTable("Advertisements, by the number of trusted devices")
        let measured = try table.measure([code, block] + [1, 20, 100].flatMap(cases), effort)
        if let foreign = measured["unknown device's, 20"] {
            let share = foreign.median * 10_000 / 1e9 * 100
            table.append(
                "unknown device's, 10,000 a second",
                "\(ResultTable.digits(share)) %",
                ["of a core, with 20 trusted", Budget.percentOfCore(10).verdict(on: share)]
            )
        }
        return table
    }

    private static var code: BenchmarkCase {
        let key = SymmetricKey(size: .bits128)
        let bytes = [UInt8](repeating: 1, count: 10)
        return BenchmarkCase("HMAC", note: "SHA-256 of 10 bytes, by swift-crypto") {
            HMAC<SHA256>.authenticationCode(for: bytes, using: key).withUnsafeBytes { Int($0[0]) }
        }
    }

    private static var block: BenchmarkCase {
        let key = SymmetricKey(size: .bits128)
        var bytes = [UInt8](repeating: 1, count: 16)
        return BenchmarkCase("AES", note: "one block under a new key, by swift-crypto") {
            try AES.permute(&bytes, key: key)
            return Int(bytes[0])
        }
    }

    private static func cases(_ count: Int) throws -> [BenchmarkCase] {
        // Each device has one key for its circle and two for this device alone, of which one follows from the key pairs.
        let day = UInt32(slot / DailyKey.slotsPerDay)
        let own = AgreementKey.generate()
        let keys =
            try (0..<count * 2).map { ($0 % count, SealingKey.daily(.generate(day: day))) }
            + (0..<count).map { device in
                let other = AgreementKey.generate().publicKey
                return (device, try DirectedAdvertisingKeys(local: own, remote: other).receiving)
            }
        let unknown = (0..<64).map { _ in SealingKey.constant(.generate()) }
        let others = count == 1 ? ["HMAC", "AES"] : ["HMAC", "AES", "unknown device's, 1"]
        return [
            BenchmarkCase(
                "unknown device's, \(count)",
                against: others,
                budget: count == 20 ? .microseconds(3) : nil,
                body: opening(sealed(by: unknown), with: keys, expecting: 0)
            ),
            BenchmarkCase(
                "trusted device's, \(count)",
                against: others,
                budget: count == 20 ? .microseconds(3) : nil,
                body: opening(sealed(by: keys.map(\.1)), with: keys, expecting: 1)
            ),
            BenchmarkCase("new slot, \(count)", note: "every 15 minutes", body: advancing(with: keys)),
        ]
    }

    private static func sealed(by keys: [SealingKey]) -> [[UInt8]] {
        keys.compactMap { AdvertisementSealer(key: $0, slot: slot)?.seal(plaintext) }
    }

    /// Opens the advertisements one after the other.
    private static func opening(
        _ advertisements: [[UInt8]],
        with keys: [(Int, SealingKey)],
        expecting opened: Int
    ) -> () -> Int {
        var opener = AdvertisementOpener(keys: keys)
        var next = 0
        return {
            next = (next + 1) % advertisements.count
            let found = opener.open(advertisements[next], slot: slot) == nil ? 0 : 1
            precondition(found == opened, "an advertisement was opened by the wrong key")
            return found
        }
    }

    private static func advancing(with keys: [(Int, SealingKey)]) -> () -> Int {
        var opener = AdvertisementOpener(keys: keys)
        var now = slot
        return {
            now += 1
            opener.advance(to: now)
            return Int(truncatingIfNeeded: now)
        }
    }
}
