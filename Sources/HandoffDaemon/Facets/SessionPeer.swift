import HandoffCore
import HandoffCrypto
import HandoffModel

/// A device with which a session is to be opened, and the endpoints at which it can be dialled.
struct SessionPeer: Sendable {
    let id: DeviceID
    let name: String
    let publicKeys: DevicePublicKeys
    /// The endpoint known when the session was requested.
    let start: PeerEndpoint
    /// Returns the endpoint at which the device was heard last; nil when it is not known.
    let latest: @Sendable () -> PeerEndpoint?
    /// Returns all endpoints at which the device was heard lately, the latest first.
    let others: @Sendable () -> [PeerEndpoint]
}

extension NearbyEntry {
    /// The endpoint at which the origin of the entry can be dialled.
    var endpoint: PeerEndpoint { PeerEndpoint(address: address, port: port) }
}
