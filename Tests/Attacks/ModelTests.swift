import HandoffAttackModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("The model that is attacked implements the published format", .endsWithin(minutes: 10))
struct ModelTests {
    /// Published with a viewer for such advertisements (Handoff-BLE-Viewer, `BLE_ViewerTests`).
    private static let key = bytes("9cdbb22f8dfc0198bbf9b31e7d64438e1755094bad224d32d897c634e71ffb9c")

    @Test(
        "The model opens published advertisements and seals them to the same bytes",
        arguments: [
            (0xCD57, "3cbd48f29e6bf563f092", 0x3B, "0088085c342dc9ed00bf"),
            (0xCDA9, "c546bb0079902fbf0937", 0x77, "0088085c342dc9ed408e"),
            (0xCDF2, "3dcea5d217210fec203b", 0xFB, "00000000000000000000"),
        ] as [(UInt16, String, UInt8, String)]
    )
    func vectors(counter: UInt16, ciphertext: String, tag: UInt8, plaintext: String) throws {
        let published = PublishedAdvertisement(status: 0, counter: counter, tag: tag, ciphertext: bytes(ciphertext))
        #expect(try published.opened(with: Self.key) == bytes(plaintext))
        #expect(try PublishedAdvertisement(sealing: bytes(plaintext), counter: counter, key: Self.key) == published)
    }

    @Test("A receiver with the key shows an advertisement once, and one without the key requests it")
    func receiver() throws {
        var random = SeededRandom(seed: 0)
        var sender = PublishedSender(key: random.bytes(32))
        var (holder, other) = (PublishedReceiver(keys: [sender.key]), PublishedReceiver(keys: []))
        let plaintext = random.bytes(10)
        let advertisement = try sender.advertise(plaintext)
        #expect(try holder.hear(advertisement) == .shown(plaintext))
        #expect(try holder.hear(advertisement) == .ignored)
        #expect(try other.hear(advertisement) == .keyRequest)
    }

    @Test("A perfect separation has an area of 1, and no separation an area of 0.5")
    func separation() {
        #expect(Separation.area(of: [3, 4], over: [1, 2]) == 1)
        #expect(Separation.area(of: [1, 1], over: [1, 1]) == 0.5)
        #expect(Separation.bestBit(telling: [[1], [1], [1], [1]], from: [[0], [0], [0], [0]]) == 1)
    }
}
