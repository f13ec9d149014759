import HandoffCore
import HandoffCrypto
import HandoffModel

/// A device with which a session is to be opened, and the endpoints at which it can be dialled.
struct SessionPeer: Sendable {
    let id: DeviceID
    let name: String
    let publicKey: DevicePublicKey
    /// The endpoint known when the session was requested.
    let start: PeerEndpoint
    /// Returns the endpoint at which the device was heard last; nil when it is not known.
    let latest: @Sendable () -> PeerEndpoint?
    /// Returns all endpoints at which the device was heard lately, the latest first.
    let others: @Sendable () -> [PeerEndpoint]
}

extension Engine {
    /// Returns the origin of an entry as the peer of a session, dialled first where the entry was heard.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice`.
    func peer(of entry: NearbyEntry) throws(HandoffError) -> SessionPeer {
        guard let device = read({ $0.devices[entry.device] }) else { throw Self.notTrusted }
        return peer(device, at: entry.endpoint)
    }

    /// Returns a trusted device as the peer of a session.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `peerUnreachable`.
    func peer(_ id: DeviceID) throws(HandoffError) -> SessionPeer {
        let (device, endpoint) = read { ($0.devices[id], $0.endpoints[id]) }
        guard let device else { throw Self.notTrusted }
        guard let endpoint else {
            throw HandoffError(.peerUnreachable, "\(device.name.rawValue) was not heard yet: bring it nearer.")
        }
        return peer(device, at: endpoint)
    }

    /// Returns a trusted device as the peer of a session, dialled first at `endpoint`.
    ///
    /// An entry may be gone when its origin is dialled, after a withdrawal advertisement from another address, and the
    /// activity can still be fetched: so the endpoints are those of the device.
    func peer(_ device: TrustedDevices.Device, at endpoint: PeerEndpoint) -> SessionPeer {
        SessionPeer(id: device.id, name: device.name.rawValue, publicKey: device.publicKey, start: endpoint) { [self] in
            read { $0.endpoints[device.id] }
        } others: { [self] in
            read { $0.nearby.endpoints(of: device.id) }
        }
    }

    /// Returns the peer of a pairing, which need not be trusted, as the peer of a session.
    func peer(of record: PairingRecord, at endpoint: PeerEndpoint) -> SessionPeer {
        let id = record.peer.id
        return SessionPeer(
            id: id,
            name: record.peer.name.rawValue,
            publicKey: record.peer.publicKey,
            start: endpoint
        ) { [self] in
            read { $0.pairing.endpoint(of: record.id) }
        } others: { [self] in
            read { $0.nearby.endpoints(of: id) }
        }
    }

    private static let notTrusted = HandoffError(.unknownDevice, "That device is not trusted any more.")
}

extension NearbyEntry {
    /// The endpoint at which the origin of the entry can be dialled.
    var endpoint: PeerEndpoint { PeerEndpoint(address: address, port: port) }
}
