import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel

extension EngineNearby {
    /// Returns the properties of an entry as the bus shows them.
    func describe(_ entry: NearbyEntry) -> NearbyActivityDescription {
        let (type, launchTarget) = launchTarget(of: entry)
        return NearbyActivityDescription(
            id: entry.id.rawValue,
            device: entry.device,
            deviceName: engine.trust.device(entry.device)?.name.rawValue ?? entry.device.description,
            type: type,
            typeHash: entry.typeHash,
            hasWebpage: entry.hasWebpage,
            launchTarget: NearbyLaunchTarget(launchTarget),
            rssi: entry.rssi.map(Int16.init),
            firstSeen: UInt64(clamping: entry.firstSeen.unixMicroseconds),
            lastSeen: UInt64(clamping: entry.lastSeen.unixMicroseconds)
        )
    }
}

extension EngineTrust {
    /// Returns the properties of a trusted device as the bus shows them.
    func describe(_ id: DeviceID) -> DeviceDescription {
        let (member, lastSeen) = engine.read { state in
            (state.trust.devices.member(id), state.nearby.lastSeen[id] ?? state.trust.devices.lastSeen(id))
        }
        return DeviceDescription(
            id: id.description,
            name: member?.name.rawValue ?? id.description,
            introducedBy: member?.introducedBy?.description ?? "",
            protocolVersion: member?.protocolVersion ?? 0,
            lastSeen: UInt64(clamping: lastSeen ?? 0)
        )
    }
}

extension NearbyLaunchTarget {
    /// Creates the bus representation of a launch target.
    init(_ launchTarget: AppRegistry.LaunchTarget) {
        self =
            switch launchTarget {
            case .app(let app): .app(id: app.id, name: app.name, icon: app.icon)
            case .browser: .browser
            case .none: .nothing
            }
    }
}
