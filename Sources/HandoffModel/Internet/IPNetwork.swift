/// The addresses that begin with the same bits: a network to which an interface belongs.
package struct IPNetwork: Hashable, Sendable {
    /// An address of the network.
    package let address: IPAddress
    /// How many bits its addresses have in common, 0…32 or 0…128.
    package let prefixLength: Int

    /// Makes a network; a prefix that is too long counts as the longest one.
    package init(_ address: IPAddress, prefixLength: Int) {
        self.address = address
        self.prefixLength = max(0, min(prefixLength, 8 * address.bytes.count))
    }

    /// Whether an address of the same family has the common bits.
    package func contains(_ other: IPAddress) -> Bool {
        let (own, others) = (address.bytes, other.bytes)
        guard own.count == others.count else { return false }
        let whole = prefixLength / 8
        guard own.prefix(whole) == others.prefix(whole) else { return false }
        let rest = prefixLength % 8
        return rest == 0 || own[whole] >> (8 - rest) == others[whole] >> (8 - rest)
    }
}
