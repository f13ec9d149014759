/// Two functions of ``SipHash`` under different keys, computed at once in the two lanes of vectors: every received
/// advertisement is tried with many keys.
struct SipHashPair: Sendable {
    /// Two words, one for each function.
    typealias Words = SIMD2<UInt64>

    private let first: Words
    private let second: Words

    /// Combines two functions.
    init(_ one: SipHash, _ other: SipHash) {
        first = Words(one.first, other.first)
        second = Words(one.second, other.second)
    }

    /// Returns the 64-bit output of each function for its input.
    ///
    /// - Parameters:
    ///   - input: the bytes of the inputs, little-endian; bits above `count` bytes are zero.
    ///   - count: the number of input bytes, 0…7.
    @inline(__always)
    func callAsFunction(_ input: Words, count: UInt64) -> Words {
        let block = input | Words(repeating: count << 56)
        var state = State(
            first ^ Words(repeating: SipHash.constants.0),
            second ^ Words(repeating: SipHash.constants.1),
            first ^ Words(repeating: SipHash.constants.2),
            second ^ Words(repeating: SipHash.constants.3)
        )
        state.d ^= block
        state.round()
        state.round()
        state.a ^= block
        state.c ^= Words(repeating: 0xFF)
        state.round()
        state.round()
        state.round()
        state.round()
        return state.a ^ state.b ^ state.c ^ state.d
    }

    /// The four words of both functions, v0…v3 in the paper.
    private struct State {
        var a: Words
        var b: Words
        var c: Words
        var d: Words

        @inline(__always)
        init(_ a: Words, _ b: Words, _ c: Words, _ d: Words) {
            (self.a, self.b, self.c, self.d) = (a, b, c, d)
        }

        /// SipRound (section 2.2 of the paper).
        @inline(__always)
        mutating func round() {
            a = a &+ b
            c = c &+ d
            b = Self.rotated(b, by: 13) ^ a
            d = Self.rotated(d, by: 16) ^ c
            a = Self.rotated(a, by: 32)
            c = c &+ b
            a = a &+ d
            b = Self.rotated(b, by: 17) ^ c
            d = Self.rotated(d, by: 21) ^ a
            c = Self.rotated(c, by: 32)
        }

        /// Returns the bits of each word, rotated left.
        @inline(__always)
        private static func rotated(_ words: Words, by count: UInt64) -> Words {
            words &<< Words(repeating: count) | words &>> Words(repeating: 64 - count)
        }
    }
}
