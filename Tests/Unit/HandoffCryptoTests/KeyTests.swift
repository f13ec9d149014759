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
        #expect(agreement.publicKey == keys.publicKeys.agreement)
        let signing = try SigningKey(rawRepresentation: keys.signing.rawRepresentation)
        #expect(signing.publicKey == keys.publicKeys.signing)
        let advertisingKey = AdvertisingKey.generate()
        #expect(try AdvertisingKey(rawRepresentation: advertisingKey.rawRepresentation) == advertisingKey)
        let record = AdvertisingKeyRecord.generate(day: 20000)
        #expect(try AdvertisingKeyRecord(rawRepresentation: record.rawRepresentation) == record)
        #expect(record.rawRepresentation.count == AdvertisingKeyRecord.byteCount)
        #expect(try DevicePublicKeys(rawRepresentation: keys.publicKeys.rawRepresentation) == keys.publicKeys)
    }

    @Test(
        "An advertising key of another length is refused with the length that it has to have",
        arguments: [0, 1, 36, 43, 45]
    )
    func lengthOfRecord(count: Int) {
        let error = #expect(throws: CryptoError.self) {
            try AdvertisingKeyRecord(rawRepresentation: [UInt8](repeating: 1, count: count))
        }
        #expect(error?.message.hasSuffix("has 44 bytes, got \(count).") == true)
    }

    @Test("Generated keys differ")
    func fresh() {
        let (one, other) = (DeviceKeys.generate(), DeviceKeys.generate())
        #expect(one.publicKeys != other.publicKeys)
        #expect(one.agreement.rawRepresentation != one.signing.rawRepresentation)
        #expect(AdvertisingKey.generate() != AdvertisingKey.generate())
        #expect(AdvertisingKeyRecord.generate(day: 1).id != AdvertisingKeyRecord.generate(day: 1).id)
    }

    @Test("Keys of another length are refused", arguments: [0, 31, 33])
    func length(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        let errors = [
            #expect(throws: CryptoError.self) { try AgreementKey(rawRepresentation: bytes) },
            #expect(throws: CryptoError.self) { try SigningKey(rawRepresentation: bytes) },
            #expect(throws: CryptoError.self) { try AgreementPublicKey(rawRepresentation: bytes) },
            #expect(throws: CryptoError.self) { try SigningPublicKey(rawRepresentation: bytes) },
            #expect(throws: CryptoError.self) { try DevicePublicKeys(rawRepresentation: bytes + bytes) },
            #expect(throws: CryptoError.self) { try AdvertisingKey(rawRepresentation: bytes) },
        ]
        #expect(errors.map { $0?.code } == Array(repeating: .invalidKey, count: 6))
    }

    @Test("The id of a device is the beginning of the SHA-256 of a label and both of its keys")
    func deviceID() throws {
        let keys = try DevicePublicKeys(rawRepresentation: [UInt8](repeating: 7, count: 64))
        // From sha256sum, of `handoffd v2 device` and 64 bytes of 7.
        #expect(keys.device.description == "82825c89313e93c6")
        let others = (0..<64).map { index in
            var bytes = keys.rawRepresentation
            bytes[index] ^= 1
            return bytes
        }
        #expect(try Set(others.map { try DevicePublicKeys(rawRepresentation: $0).device }).count == 64)
    }

    @Test("A signature is valid for its key, label and bytes only")
    func signature() throws {
        let (key, other) = (SigningKey.generate(), SigningKey.generate())
        let signature = key.sign("label ", [1, 2, 3])
        #expect(signature.count == SigningPublicKey.signatureByteCount)
        #expect(key.publicKey.isValid(signature, "label ", [1, 2, 3]))
        #expect(!key.publicKey.isValid(signature, "label ", [1, 2, 4]))
        #expect(!key.publicKey.isValid(signature, "Label ", [1, 2, 3]))
        #expect(!other.publicKey.isValid(signature, "label ", [1, 2, 3]))
        #expect(!key.publicKey.isValid(Array(signature.dropLast()), "label ", [1, 2, 3]))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.publicKey.isValid(changed, "label ", [1, 2, 3]))
        }
    }

    @Test("Signatures are those of RFC 8032")
    func published() throws {
        // Section 7.1, test 2: one byte, here as the label.
        let key = try SigningKey(
            rawRepresentation: bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
        )
        let publicKey = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
        #expect(hex(key.publicKey.rawRepresentation) == publicKey)
        let signature =
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        #expect(hex(key.sign("r", [])) == signature)
        #expect(hex(key.sign("", [0x72])) == signature)
    }

    @Test(
        "Keys of low order are refused, and keys that are not reduced",
        arguments: [
            ("0000000000000000000000000000000000000000000000000000000000000000", CryptoError.Code.weakKey),
            ("0100000000000000000000000000000000000000000000000000000000000000", .weakKey),
            ("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", .weakKey),
            ("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", .invalidKey),
            ("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", .invalidKey),
            ("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", .invalidKey),
        ]
    )
    func lowOrder(text: String, code: CryptoError.Code) throws {
        let sound = [UInt8](repeating: 7, count: 32)
        for keys in [bytes(text) + sound, sound + bytes(text)] {
            let error = #expect(throws: CryptoError.self) { try DevicePublicKeys(rawRepresentation: keys) }
            #expect(error?.code == code)
        }
    }

    @Test("Keys of order eight are refused, with either sign")
    func orderEight() throws {
        let sound = [UInt8](repeating: 7, count: 32)
        let agreement = [
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        ]
        let signing = [
            "0000000000000000000000000000000000000000000000000000000000000080",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        ]
        for keys in agreement.map({ bytes($0) + sound }) + signing.map({ sound + bytes($0) }) {
            let error = #expect(throws: CryptoError.self) { try DevicePublicKeys(rawRepresentation: keys) }
            #expect(error?.code == .weakKey)
        }
    }

    @Test("The hash of an activity type is the beginning of its SHA-256")
    func typeHash() {
        // The beginning of SHA-256("abc") (FIPS 180-2, appendix B.1).
        #expect(ActivityTypeHash(of: "abc").description == "ba7816bf")
    }
}
