/// The place of an advertisement in the order of everything that a device advertises: its slot, and a number that counts
/// the changes within the slot.
///
/// A device shows one thing at a time, and whatever it shows next has a greater number. So what has a lower number than
/// what was heard last is a replay. Within a slot the number never wraps around: there are 512, of which the pace of
/// changes and the clock need at most 506 (decision 46).
package struct AdvertisementNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number in its slot of what was shown at the end of the slot before, and is shown on.
    package static let continuing: UInt16 = 0
    /// The greatest number in a slot: nine bits.
    package static let maximumIndex: UInt16 = 0x1FF

    /// The slot of 15 minutes under whose keys the advertisement is sealed.
    package let slot: UInt64
    /// The number within the slot, at most ``maximumIndex``.
    package let index: UInt16

    /// Makes a number; nil for an index above ``maximumIndex``.
    package init?(slot: UInt64, index: some BinaryInteger) {
        guard let index = UInt16(exactly: index), index <= Self.maximumIndex else { return nil }
        (self.slot, self.index) = (slot, index)
    }

    /// Makes a number of the low nine bits of an index.
    package init(slot: UInt64, lowNineBits index: UInt16) {
        (self.slot, self.index) = (slot, index & Self.maximumIndex)
    }

    package static func < (left: AdvertisementNumber, right: AdvertisementNumber) -> Bool {
        (left.slot, left.index) < (right.slot, right.index)
    }

    /// Whether what is shown under this number is what the device showed at the end of the slot of `earlier`.
    package func continues(_ earlier: AdvertisementNumber) -> Bool {
        index == Self.continuing && slot == earlier.slot &+ 1
    }

    package var description: String { "\(slot).\(index)" }
}
