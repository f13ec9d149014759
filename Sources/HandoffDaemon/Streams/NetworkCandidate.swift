import HandoffModel
import HandoffWire

/// An address of another device to which this one may connect.
struct NetworkCandidate: Hashable, Sendable {
    let address: IPAddress
    /// The own interface of an address that needs one; 0 for the others.
    let interface: UInt32

    /// The most candidates: a member that lies causes no more connections than these.
    static let maximumCount = 16

    /// Returns what this device connects to of what another one has offered.
    ///
    /// These are private addresses, and those in a network of one of the own interfaces: a device of the circle that lies
    /// causes no connection to the internet. A link-local address is tried on every interface that has one.
    static func all(of offer: NetworkOffer, own: [InterfaceAddress]) -> [NetworkCandidate] {
        let links = own.filter(\.address.needsInterface).map(\.interface)
        let candidates = offer.addresses.flatMap { address -> [NetworkCandidate] in
            if own.contains(where: { $0.address == address }) { return [] }
            if address.needsInterface { return links.map { NetworkCandidate(address: address, interface: $0) } }
            guard address.isPrivate || own.contains(where: { $0.network.contains(address) }) else { return [] }
            return [NetworkCandidate(address: address, interface: 0)]
        }
        return Array(candidates.prefix(maximumCount))
    }

    /// Returns the own addresses to offer, the first of each interface first.
    static func offered(_ own: [InterfaceAddress]) -> [IPAddress] {
        var counts: [UInt32: Int] = [:]
        var seen: Set<IPAddress> = []
        let ranked = own.filter { seen.insert($0.address).inserted }.map { address in
            let rank = counts[address.interface, default: 0]
            counts[address.interface] = rank + 1
            return (rank: rank, address: address.address)
        }
        // Not by a sort alone, which need not keep the order of equals.
        let ranks = Set(ranked.map(\.rank)).sorted()
        let all = ranks.flatMap { rank in ranked.filter { $0.rank == rank }.map(\.address) }
        return Array(all.prefix(NetworkOffer.maximumAddresses))
    }
}
