import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Padding vectors", .endsWithin(minutes: 10))
struct PaddingVectorTests {
    /// How many bytes a message has, and how many with its length and padding.
    struct Case: Codable, Equatable, Sendable {
        let messageBytes: Int
        /// How many it has at least with its padding, as it is written; nil for what a reader reads.
        let least: Int?
        let paddedBytes: Int
        let isValid: Bool
    }

    /// The longest message of each size, and the one that is a byte longer.
    private static let lengths = [
        0, 60, 61, 1020, 1021, 2044, 2045, 4092, 4093, 16_380, 16_381, 65_596, 65_597, 262_140, 262_141, 1_048_572,
        1_048_573, 2_097_148,
    ]

    private static let sizes = [
        4, 63, 64, 65, 512, 1023, 1024, 1025, 2048, 4096, 8192, 16_384, 32_768, 65_536, 65_600, 131_072, 262_144,
        524_288,
        1_048_576, 2_097_152,
    ]

    private static func make() -> [Case] {
        let written = lengths.flatMap { length in
            [MessagePadding.smallest, MessagePadding.smallestAnswer].map { least in
                let padded = MessagePadding.pad(zeros(length), toAtLeast: least)
                return Case(messageBytes: length, least: least, paddedBytes: padded.count, isValid: true)
            }
        }
        return written + sizes.map { read(0, $0) } + [60, 61, 64].map { read($0, 64) }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func read(_ length: Int, _ size: Int) -> Case {
        let message = try? MessagePadding.unpad([0, 0, 0, UInt8(length)] + zeros(size - MessagePadding.lengthBytes))
        return Case(messageBytes: length, least: nil, paddedBytes: size, isValid: message != nil)
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Padding (Docs/Protocol.md, "Padding"): how many bytes a message of zeros has with its length and padding, \
                where it is padded to `least` at least. Without `least`, whether a reader accepts a message of that length \
                in that many bytes.
                """,
            cases: Self.make()
        )
        try file.storeIfAsked("padding")
        #expect(try VectorFile<Case>.load("padding") == file)
        #expect(file.cases.count { !$0.isValid } == 13)
    }
}
