import HandoffModel
import HandoffTestVectors

/// Random userInfo, the same for the same seed.
struct RandomUserInfo {
    private var random: SeededRandom

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    /// A dictionary whose values nest at most `depth` deep.
    mutating func dictionary(depth: Int = 4) throws -> [String: UserInfoValue] {
        var result: [String: UserInfoValue] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &random) { result[text()] = try value(depth: depth) }
        return result
    }

    private mutating func value(depth: Int) throws -> UserInfoValue {
        switch Int.random(in: 0..<(depth > 1 ? 12 : 9), using: &random) {
        case 0: .null
        case 1: .boolean(.random(using: &random))
        case 2: .integer(Int64(truncatingIfNeeded: random.next()))
        case 3: .number(random.next())
        case 4: .real(Double(Int64(truncatingIfNeeded: random.next())) / 1024)
        case 5: .string(text())
        case 6: .data(random.bytes(Int.random(in: 0...20, using: &random)))
        case 7: .date(try timestamp())
        case 8: .url("x-example:" + text())
        case 9: .array(try values(depth: depth - 1))
        case 10: .dictionary(try dictionary(depth: depth - 1))
        default: .set(Set(try values(depth: depth - 1)))
        }
    }

    private mutating func values(depth: Int) throws -> [UserInfoValue] {
        var result: [UserInfoValue] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) { result.append(try value(depth: depth)) }
        return result
    }

    private mutating func text() -> String {
        let scalars = (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 1...0x1_F9FF, using: &random))
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private mutating func timestamp() throws -> Timestamp {
        try Timestamp(
            seconds: .random(in: Timestamp.earliestSeconds...Timestamp.latestSeconds, using: &random),
            nanoseconds: .random(in: 0..<1_000_000_000, using: &random)
        )
    }
}
