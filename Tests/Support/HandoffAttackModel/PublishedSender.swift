/// A device that advertises in the published format: one key, one counter, part of the counter on disk.
package struct PublishedSender: Sendable {
    /// What it keeps over a restart.
    package struct Saved: Sendable {
        package let key: [UInt8]
        let counter: UInt16
    }

    /// How many advertisements pass between two writes to the disk.
    package static let savedEvery: UInt16 = 100
    /// How far it jumps when it starts, so that what was not saved is not used twice.
    package static let jumpAtStart: UInt16 = 110

    package let key: [UInt8]
    package private(set) var counter: UInt16
    /// What lies on its disk.
    package private(set) var saved: Saved

    /// A new device.
    package init(key: [UInt8], counter: UInt16 = 1) {
        self.key = key
        self.counter = counter
        saved = Saved(key: key, counter: counter)
    }

    /// A device that starts with what is on its disk.
    package init(restarting saved: Saved) {
        self.init(key: saved.key, counter: saved.counter &+ Self.jumpAtStart)
    }

    /// The next advertisement, of those ten bytes.
    package mutating func advertise(_ plaintext: [UInt8], status: UInt8 = 0) throws -> PublishedAdvertisement {
        counter &+= 1
        if counter.isMultiple(of: Self.savedEvery) { saved = Saved(key: key, counter: counter) }
        return try PublishedAdvertisement(sealing: plaintext, status: status, counter: counter, key: key)
    }

    /// Takes a new address, and jumps by 20 to 50, against those who count.
    package mutating func changeAddress(using random: inout some RandomNumberGenerator) {
        counter &+= UInt16.random(in: 20...50, using: &random)
    }
}
