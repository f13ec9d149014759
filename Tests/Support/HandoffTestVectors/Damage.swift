/// The ways in which a sequence of bytes is damaged in tests.
package enum Damage {
    /// Every proper prefix of `bytes`, beginning with the empty one.
    package static func truncations(of bytes: [UInt8]) -> some Sequence<[UInt8]> {
        bytes.indices.lazy.map { Array(bytes[..<$0]) }
    }

    /// `bytes` with each of its bits flipped in turn.
    package static func bitFlips(of bytes: [UInt8]) -> some Sequence<[UInt8]> {
        (0..<(bytes.count * 8)).lazy.map { bit in
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            return flipped
        }
    }

    /// `bytes` divided at random places into pieces, some of which are empty.
    package static func randomSplit(of bytes: [UInt8], using random: inout SeededRandom) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 0...40, using: &random))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }
}
