/// The endpoints at which a device was heard recently: several when its advertisements are replayed elsewhere.
package struct RecentEndpoints: Sendable {
    /// The maximum number of endpoints; an attacker that replays a device at more addresses than that drowns it out.
    package static let maximumCount = 8
    /// How much earlier than the last endpoint another one may have been heard: an old bluetoothd is heard every 1.28
    /// s.
    package static let lifetime = Duration.seconds(2)

    private var endpoints: [(endpoint: PeerEndpoint, at: Duration)] = []

    package init() {}

    /// Adds the endpoint at which the device was just heard.
    package mutating func insert(_ endpoint: PeerEndpoint, at uptime: Duration) {
        endpoints.removeAll { $0.endpoint == endpoint || uptime - $0.at >= Self.lifetime }
        endpoints.insert((endpoint, uptime), at: 0)
        if endpoints.count > Self.maximumCount { endpoints.removeLast() }
    }

    /// Returns the endpoint that was heard last, if that was within ``lifetime``.
    func latest(at uptime: Duration) -> PeerEndpoint? {
        endpoints.first.flatMap { uptime - $0.at < Self.lifetime ? $0.endpoint : nil }
    }

    /// All endpoints, the one heard last first.
    package var all: [PeerEndpoint] { endpoints.map(\.endpoint) }
}
