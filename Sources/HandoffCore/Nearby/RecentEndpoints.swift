package import HandoffRadio

/// Where a device was heard lately: more than one place when somebody repeats its advertisements elsewhere.
package struct RecentEndpoints: Sendable {
    /// A place where a device can be dialled.
    package struct PeerEndpoint: Hashable, Sendable {
        package let address: RadioAddress
        package let port: ChannelPort

        package init(address: RadioAddress, port: ChannelPort) {
            self.address = address
            self.port = port
        }
    }

    /// How many are kept: who repeats a device at more addresses than that, drowns it.
    package static let maximumCount = 8
    /// How much earlier than the last one a place may have been heard: an old bluetoothd is heard every 1.28 s.
    package static let lifetime = Duration.seconds(2)

    private var endpoints: [(endpoint: PeerEndpoint, at: Duration)] = []

    package init() {}

    /// Takes in where the device was heard just now.
    package mutating func insert(_ endpoint: PeerEndpoint, at uptime: Duration) {
        endpoints.removeAll { $0.endpoint == endpoint || uptime - $0.at >= Self.lifetime }
        endpoints.insert((endpoint, uptime), at: 0)
        if endpoints.count > Self.maximumCount { endpoints.removeLast() }
    }

    /// All of them, the one heard last first.
    package var all: [PeerEndpoint] { endpoints.map(\.endpoint) }
}
