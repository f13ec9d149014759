/// A device that advertises in the published format, with one key and one counter, which it saves at intervals.
package struct PublishedSender: Sendable {
    /// The state that survives a restart.
    package struct Saved: Sendable {
        package let key: [UInt8]
        let counter: UInt16
    }

    /// The number of advertisements between two writes to the disk.
    package static let savedEvery: UInt16 = 100
    /// The increment of the counter at each start, so that no unsaved value is used twice.
    package static let jumpAtStart: UInt16 = 110

    package let key: [UInt8]
    package private(set) var counter: UInt16
    /// The state on disk.
    package private(set) var saved: Saved

    /// A new device.
    package init(key: [UInt8], counter: UInt16 = 1) {
        self.key = key
        self.counter = counter
        saved = Saved(key: key, counter: counter)
    }

    /// A device that starts with the state on its disk.
    package init(restarting saved: Saved) {
        self.init(key: saved.key, counter: saved.counter &+ Self.jumpAtStart)
    }

    /// The next advertisement, with ten bytes of content.
    package mutating func advertise(_ plaintext: [UInt8], status: UInt8 = 0) throws -> PublishedAdvertisement {
        counter &+= 1
        if counter.isMultiple(of: Self.savedEvery) { saved = Saved(key: key, counter: counter) }
        return try PublishedAdvertisement(sealing: plaintext, status: status, counter: counter, key: key)
    }

    /// Changes the address, and increases the counter by 20 to 50 so that it cannot be followed.
    package mutating func changeAddress(using random: inout some RandomNumberGenerator) {
        counter &+= UInt16.random(in: 20...50, using: &random)
    }
}
