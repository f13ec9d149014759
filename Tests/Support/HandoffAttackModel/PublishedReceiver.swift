/// A device that receives advertisements in the published format, with the keys of some senders.
package struct PublishedReceiver: Sendable {
    /// The receiver's reaction to an advertisement.
    package enum Reaction: Hashable, Sendable {
        /// It shows the content of the advertisement.
        case shown([UInt8])
        /// It has received exactly this advertisement before.
        case ignored
        /// It connects to the sender and requests a key, in packets that any observer can count.
        case keyRequest
    }

    private let keys: [[UInt8]]
    /// The highest counter that was accepted for each key.
    private var counters: [UInt16?]
    private var heard: Set<PublishedAdvertisement> = []

    /// Creates a receiver with these keys.
    package init(keys: [[UInt8]]) {
        self.keys = keys
        counters = keys.map { _ in nil }
    }

    /// Handles an advertisement.
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
