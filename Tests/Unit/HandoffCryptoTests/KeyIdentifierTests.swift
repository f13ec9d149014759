import HandoffCrypto
import TestLimits
import Testing

@Suite("The identifiers of a device's own keys", .endsWithin(minutes: 10))
struct KeyIdentifierTests {
    private let keys = DeviceKeys.generate()

    @Test("A device recognizes its identifiers, also after a restart, and tells two keys with one number apart")
    func recognized() {
        let source = KeyIdentifierSource(keys)
        for number in [0, 1, 255, 256, .max] as [UInt16] {
            #expect(KeyIdentifierSource(keys).number(of: source.identifier(of: number)) == number)
        }
        #expect(Set((0..<100).map { _ in source.identifier(of: 7) }).count > 90)
    }

    @Test("Nobody else can make an identifier, or change one to another number")
    func forged() throws {
        let source = KeyIdentifierSource(keys)
        #expect(source.number(of: KeyIdentifierSource(.generate()).identifier(of: 5)) == nil)
        let bytes = source.identifier(of: 5).bytes
        for bit in 0..<64 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(source.number(of: try AdvertisingKeyRecord.ID(bytes: changed)) == nil)
        }
    }
}
