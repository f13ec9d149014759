/// The devices that can be chosen in a pairing by version 1 of this project's protocol: each has introduced itself with a
/// key, without a proof that the key is its own.
package struct UnprovenIntroductions: Sendable {
    private var candidates: [(channel: Int, key: [UInt8])] = []

    /// Makes a list without devices.
    package init() {}

    /// Returns the channel of the device that has introduced itself with that key; nil when there is none.
    package func channel(of key: [UInt8]) -> Int? {
        candidates.first { $0.key == key }?.channel
    }

    /// Adds a device in place of an earlier one with the same key, which is taken for the same device.
    package mutating func introduce(_ key: [UInt8], over channel: Int) {
        candidates.removeAll { $0.key == key }
        candidates.append((channel, key))
    }
}
