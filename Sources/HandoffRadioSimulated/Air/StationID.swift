/// The identifier of one run of a station: 32 random bits.
struct StationID: Hashable, Sendable {
    /// Eight hexadecimal digits.
    let text: String

    static func random() -> StationID {
        StationID(number: .random(in: .min ... .max))
    }

    init?(_ text: String) {
        guard text.utf8.count == 8, let number = UInt32(text, radix: 16) else { return nil }
        self.init(number: number)
    }

    private init(number: UInt32) {
        let digits = String(number, radix: 16)
        text = String(repeating: "0", count: 8 - digits.count) + digits
    }
}
