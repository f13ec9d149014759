import HandoffAttackModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("The model that attacks are tried on is the published format", .endsWithin(minutes: 10))
struct ModelTests {
    /// Published with a viewer for such advertisements (Handoff-BLE-Viewer, `BLE_ViewerTests`).
    private static let key = bytes("9cdbb22f8dfc0198bbf9b31e7d64438e1755094bad224d32d897c634e71ffb9c")

    @Test(
        "it opens what was published, and seals it to the same bytes",
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

    @Test("a sender's advertisements are shown once by who has its key, and make others ask for it")
    func receiver() throws {
        var random = SeededRandom(seed: 0)
        var sender = PublishedSender(key: random.bytes(32))
        var (friend, stranger) = (PublishedReceiver(keys: [sender.key]), PublishedReceiver(keys: []))
        let plaintext = random.bytes(10)
        let advertisement = try sender.advertise(plaintext)
        #expect(try friend.hear(advertisement) == .shown(plaintext))
        #expect(try friend.hear(advertisement) == .ignored)
        #expect(try stranger.hear(advertisement) == .keyRequest)
    }

    @Test("what separates perfectly has area 1, what separates nothing 0.5")
    func separation() {
        #expect(Separation.area(of: [3, 4], over: [1, 2]) == 1)
        #expect(Separation.area(of: [1, 1], over: [1, 1]) == 0.5)
        #expect(Separation.bestBit(telling: [[1], [1], [1], [1]], from: [[0], [0], [0], [0]]) == 1)
    }
}
