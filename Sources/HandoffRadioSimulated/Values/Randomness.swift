private import Synchronization

/// A random number generator that is reproducible with a seed.
final class Randomness: Sendable {
    private struct SplitMix64: RandomNumberGenerator {
        var state: UInt64

        // Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014), figure 17.
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private let generator: Mutex<SplitMix64>

    /// Creates a generator: the numbers are determined by seed and station; without a seed they differ in each run.
    init(seed: UInt64?, station: String) {
        var state = seed ?? .random(in: .min ... .max)
        for byte in station.utf8 {
            // FNV-1a, so that stations of one seed differ.
            state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        generator = Mutex(SplitMix64(state: state))
    }

    /// Returns true with that probability, 0…1.
    func bool(probability: Double) -> Bool {
        generator.withLock { Double.random(in: 0..<1, using: &$0) < probability }
    }

    /// Returns a duration in that range, in whole microseconds.
    func duration(in range: ClosedRange<Duration>) -> Duration {
        let microseconds = range.lowerBound.microseconds...range.upperBound.microseconds
        return .microseconds(generator.withLock { Int64.random(in: microseconds, using: &$0) })
    }

    /// Returns random bytes.
    func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) } }
    }

    /// Returns one of `elements`, or nil when there are none.
    func element<Element: Sendable>(of elements: [Element]) -> Element? {
        generator.withLock { elements.randomElement(using: &$0) }
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
