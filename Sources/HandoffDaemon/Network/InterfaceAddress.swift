import Epoll
private import Glibc
package import HandoffModel
import SystemPackage

/// An address of a network interface of this computer.
package struct InterfaceAddress: Hashable, Sendable {
    package let address: IPAddress
    /// The network to which it belongs.
    package let network: IPNetwork
    /// The kernel's number of the interface.
    package let interface: UInt32

    /// Makes an address of an interface.
    package init(_ address: IPAddress, prefixLength: Int, interface: UInt32) {
        self.address = address
        network = IPNetwork(address, prefixLength: prefixLength)
        self.interface = interface
    }

    /// Returns the unicast addresses of all interfaces that are up and connected, without the loopback interface.
    ///
    /// The kernel is asked over a netlink socket (getifaddrs(3)); that blocks for microseconds.
    ///
    /// - Throws: ``NetworkError`` with `unavailable`.
    package static func all() throws(NetworkError) -> [InterfaceAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        do throws(Errno) {
            _ = try systemCall { getifaddrs(&first) }
        } catch {
            throw NetworkError(error, during: .addresses)
        }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: { $0?.pointee.ifa_next }).prefix { $0 != nil }
            .compactMap { $0.flatMap { InterfaceAddress($0.pointee) } }
    }

    /// Converts an entry of the kernel's list; nil for one that other computers cannot use.
    private init?(_ entry: ifaddrs) {
        let needed = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
        guard entry.ifa_flags & needed == needed, entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
            let address = entry.ifa_addr.flatMap(IPAddress.init(socketAddress:)), address.isUnicast
        else { return nil }
        let mask = entry.ifa_netmask.flatMap(IPAddress.init(socketAddress:))
        let ones = mask?.bytes.reduce(0) { $0 + $1.nonzeroBitCount }
        self.init(address, prefixLength: ones ?? 8 * address.bytes.count, interface: if_nametoindex(entry.ifa_name))
    }
}
