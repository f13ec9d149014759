import Bluetooth

/// The identifier of one run of a station: 32 random bits.
struct StationID: Hashable, Sendable {
    /// Eight hexadecimal digits.
    let text: String

    static func random() -> StationID {
        StationID(number: .random(in: .min ... .max))
    }

    init?(_ text: String) {
        guard let number = Hexadecimal.number(text, digits: 8) else { return nil }
        self.init(number: UInt32(truncatingIfNeeded: number))
    }

    private init(number: UInt32) {
        text = Hexadecimal.text(number, digits: 8)
    }
}
