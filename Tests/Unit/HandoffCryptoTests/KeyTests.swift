import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Keys", .endsWithin(minutes: 10))
struct KeyTests {
    @Test("Keys are the same after encoding and decoding")
    func rawRepresentations() throws {
        let keys = DeviceKeys.generate()
        let agreement = try AgreementKey(rawRepresentation: keys.agreement.rawRepresentation)
        #expect(agreement.publicKey == keys.publicKey)
        #expect(try AdvertisingKey(rawRepresentation: keys.advertisingKey.rawRepresentation) == keys.advertisingKey)
        #expect(try DevicePublicKey(rawRepresentation: keys.publicKey.rawRepresentation) == keys.publicKey)
    }

    @Test("Generated keys differ")
    func fresh() {
        let (one, other) = (DeviceKeys.generate(), DeviceKeys.generate())
        #expect(one.publicKey != other.publicKey)
        #expect(one.advertisingKey != other.advertisingKey)
        #expect(one.agreement.rawRepresentation != one.advertisingKey.rawRepresentation)
    }

    @Test("Keys of another length are refused", arguments: [0, 31, 33])
    func length(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        let errors = [
            #expect(throws: CryptoError.self) { try AgreementKey(rawRepresentation: bytes) },
            #expect(throws: CryptoError.self) { try DevicePublicKey(rawRepresentation: bytes) },
            #expect(throws: CryptoError.self) { try AdvertisingKey(rawRepresentation: bytes) },
        ]
        #expect(errors.map { $0?.code } == [.invalidKey, .invalidKey, .invalidKey])
    }

    @Test("The id of a device is the beginning of the SHA-256 of its key")
    func deviceID() throws {
        let key = try DevicePublicKey(rawRepresentation: [UInt8](repeating: 0, count: 32))
        // SHA-256 of 32 zero bytes is 66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925.
        #expect(key.device.description == "66687aadf862bd77")
    }

    @Test("The hash of an activity type is the beginning of its SHA-256")
    func typeHash() {
        // The beginning of SHA-256("abc") (FIPS 180-2, appendix B.1).
        #expect(ActivityTypeHash(of: "abc").description == "ba7816bf")
    }
}
