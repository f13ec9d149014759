/// SipHash-2-4 (Aumasson and Bernstein, INDOCRYPT 2012) of inputs of at most seven bytes.
///
/// It is a pseudo-random function with a 128-bit key, designed for short inputs and frequent evaluation. An input of at
/// most seven bytes fits one block together with its length, which is all that advertisements need. It has no branches
/// and no tables, so it runs in constant time. Docs/Decisions explains why it is implemented here.
struct SipHash: Sendable {
    /// The number of bytes in a key.
    static let keyBytes = 16

    private let first: UInt64
    private let second: UInt64

    /// Creates the function for a key of 16 bytes.
    init(key: some Collection<UInt8>) {
        precondition(key.count == Self.keyBytes, "a SipHash key has 16 bytes")
        first = UInt64(littleEndianBytes: key.prefix(8))
        second = UInt64(littleEndianBytes: key.dropFirst(8))
    }

    /// Returns the 64-bit output for an input.
    ///
    /// - Parameters:
    ///   - input: the bytes of the input, little-endian; bits above `count` bytes are zero.
    ///   - count: the number of input bytes, 0…7.
    @inline(__always)
    func callAsFunction(_ input: UInt64, count: UInt64) -> UInt64 {
        let block = count << 56 | input
        // The four constants spell "somepseudorandomlygeneratedbytes" (section 2.2 of the paper).
        var state = State(
            first ^ 0x736F_6D65_7073_6575,
            second ^ 0x646F_7261_6E64_6F6D,
            first ^ 0x6C79_6765_6E65_7261,
            second ^ 0x7465_6462_7974_6573
        )
        state.d ^= block
        state.round()
        state.round()
        state.a ^= block
        state.c ^= 0xFF
        state.round()
        state.round()
        state.round()
        state.round()
        return state.a ^ state.b ^ state.c ^ state.d
    }

    /// The four words of the function, v0…v3 in the paper.
    private struct State {
        var a: UInt64
        var b: UInt64
        var c: UInt64
        var d: UInt64

        @inline(__always)
        init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
            (self.a, self.b, self.c, self.d) = (a, b, c, d)
        }

        /// SipRound (section 2.2 of the paper).
        @inline(__always)
        mutating func round() {
            a &+= b
            c &+= d
            b = b.rotated(13) ^ a
            d = d.rotated(16) ^ c
            a = a.rotated(32)
            c &+= b
            a &+= d
            b = b.rotated(17) ^ c
            d = d.rotated(21) ^ a
            c = c.rotated(32)
        }
    }
}

extension UInt64 {
    /// The bits rotated left by `count`.
    @inline(__always)
    fileprivate func rotated(_ count: UInt64) -> UInt64 {
        self &<< count | self &>> (64 - count)
    }

    /// Makes a number of at most eight little-endian bytes.
    init(littleEndianBytes bytes: some Collection<UInt8>) {
        self = 0
        var shift: UInt64 = 0
        for byte in bytes {
            self |= UInt64(byte) << shift
            shift += 8
        }
    }

    /// Makes a number of at most eight big-endian bytes.
    init(bigEndianBytes bytes: some Collection<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The lowest `count` bytes, little-endian.
    func littleEndianBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }

    /// The lowest `count` bytes, big-endian.
    func bigEndianBytes(_ count: Int) -> [UInt8] {
        littleEndianBytes(count).reversed()
    }
}
