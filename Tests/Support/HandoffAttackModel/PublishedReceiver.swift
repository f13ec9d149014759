/// A device that listens to advertisements in the published format, of devices whose keys it has.
package struct PublishedReceiver: Sendable {
    /// What an advertisement makes it do.
    package enum Reaction: Hashable, Sendable {
        /// It shows what the advertisement says.
        case shown([UInt8])
        /// It has heard exactly that before.
        case ignored
        /// It connects to the sender and asks for a key: packets that anybody can count.
        case keyRequest
    }

    private let keys: [[UInt8]]
    /// For each key, the highest counter that was taken for genuine.
    private var counters: [UInt16?]
    private var heard: Set<PublishedAdvertisement> = []

    /// Listens for the holders of these keys.
    package init(keys: [[UInt8]]) {
        self.keys = keys
        counters = keys.map { _ in nil }
    }

    /// Takes in an advertisement.
    package mutating func hear(_ advertisement: PublishedAdvertisement) throws -> Reaction {
        guard heard.insert(advertisement).inserted else { return .ignored }
        for (index, key) in keys.enumerated() {
            guard let plaintext = try advertisement.opened(with: key) else { continue }
            guard advertisement.counter > counters[index] ?? 0 else { continue }
            counters[index] = advertisement.counter
            return .shown(plaintext)
        }
        return .keyRequest
    }
}
