import AsyncSupport
package import Bluetooth
package import DBus

/// A link that was created to this host by a device that bluetoothd had not heard before.
package struct UnannouncedLink: Hashable, Sendable {
    /// The path of the device's object.
    package let path: ObjectPath
    package let address: BluetoothAddress
}

/// Finds the links of devices that bluetoothd did not know before they were connected; pure.
///
/// bluetoothd does not tell who has created a link. A program of this host can connect only to a device that was heard
/// before, or that is stored; a central that connects to this host's advertisement is seldom heard before. So a link of
/// a device that was known is left to whoever made it.
struct LinkMirror {
    /// The most devices that are remembered; those beyond it count as known.
    private static let maximumDevices = 4096

    private let adapter: ObjectPath
    /// The devices whose object appeared with a link, or for one, and which were not heard.
    private var unheard: [ObjectPath: BluetoothAddress] = [:]

    init(adapter: ObjectPath) {
        self.adapter = adapter
    }

    /// Applies one signal; returns a link that has begun.
    mutating func apply(_ change: ObjectChange) -> UnannouncedLink? {
        switch change {
        case .added(let path, let interfaces):
            guard path.isDescendant(of: adapter), let properties = interfaces[Names.device] else { return nil }
            // A device that discovery finds has an RSSI from the beginning (bluez src/adapter.c, device_found).
            guard properties["RSSI"] == nil, unheard.count < Self.maximumDevices,
                let kind = BluetoothAddress.Kind(rawValue: properties["AddressType"]?.string ?? ""),
                let address = BluetoothAddress(properties["Address"]?.string ?? "", kind: kind)
            else { return nil }
            unheard[path] = address
            return properties["Connected"]?.boolean == true ? UnannouncedLink(path: path, address: address) : nil
        case .removed(let path, let interfaces):
            if interfaces.contains(Names.device) { unheard[path] = nil }
            return nil
        case .changed(let path, Names.device, let values, _):
            guard let address = unheard[path] else { return nil }
            if values["RSSI"] != nil { unheard[path] = nil }
            return values["Connected"]?.boolean == true ? UnannouncedLink(path: path, address: address) : nil
        case .changed:
            return nil
        }
    }
}

extension BlueZ {
    /// Calls `appeared` for each link to `adapter` that a device creates which bluetoothd had not heard before, until
    /// the task is cancelled; links that exist already are not reported.
    ///
    /// - Parameters:
    ///   - adapter: the adapter to which the links are.
    ///   - subscribed: called from the moment on from which no link is missed; again after a lost signal.
    ///   - changed: called when a link of any device has begun or ended; true when it has begun.
    ///   - appeared: called with each link.
    /// - Throws: ``BlueZError`` when the connection is lost; `CancellationError`.
    package func followUnannouncedLinks(
        on adapter: Adapter,
        subscribed: @escaping @Sendable () -> Void,
        changed: @escaping @Sendable (ObjectPath, Bool) -> Void,
        _ appeared: @escaping @Sendable (UnannouncedLink) -> Void
    ) async throws {
        while true {
            do {
                return try await connection.withSignals(MatchRule(sender: Names.service)) { signals in
                    var mirror = LinkMirror(adapter: adapter.path)
                    subscribed()
                    for try await signal in signals {
                        guard let change = ObjectChange(signal) else { continue }
                        if let (device, isUp) = change.link(on: adapter.path) { changed(device, isUp) }
                        if let link = mirror.apply(change) { appeared(link) }
                    }
                }
            } catch let error as DBusError {
                guard error.code == .overflow else { throw BlueZError(error, during: .readObjects) }
            }
        }
    }
}

extension ObjectChange {
    /// The device whose link to an adapter has begun or ended with this change, and whether it is up now; nil for other
    /// changes.
    fileprivate func link(on adapter: ObjectPath) -> (device: ObjectPath, isUp: Bool)? {
        switch self {
        case .added(let path, let interfaces):
            guard path.isDescendant(of: adapter), interfaces[Names.device]?["Connected"]?.boolean == true else {
                return nil
            }
            return (path, true)
        case .changed(let path, Names.device, let values, _):
            guard path.isDescendant(of: adapter), let isUp = values["Connected"]?.boolean else { return nil }
            return (path, isUp)
        case .changed, .removed:
            return nil
        }
    }
}
