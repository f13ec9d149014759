import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel

extension EngineNearby {
    /// Returns the properties of an entry as the bus shows them.
    func describe(_ entry: NearbyEntry) -> NearbyActivityDescription {
        let (type, launchTarget) = launchTarget(of: entry)
        var description = NearbyActivityDescription(
            id: entry.id.rawValue,
            of: entry.device,
            typeHash: entry.typeHash
        )
        description.deviceName = engine.trust.device(entry.device)?.name.rawValue ?? entry.device.description
        description.type = type?.rawValue ?? ""
        description.hasWebpage = entry.hasWebpage
        description.hasDocument = entry.hasDocument
        description.set(NearbyLaunchTarget(launchTarget))
        description.rssi = entry.rssi.map(Int16.init)
        description.firstSeen = UInt64(clamping: entry.firstSeen.unixMicroseconds)
        description.lastSeen = UInt64(clamping: entry.lastSeen.unixMicroseconds)
        return description
    }
}

extension EngineTrust {
    /// Returns the properties of a trusted device as the bus shows them.
    func describe(_ id: DeviceID) -> DeviceDescription {
        let (member, heard, lastSeen) = engine.read { state in
            (state.trust.devices.contents.circle[id], state.nearby.lastSeen[id], state.trust.devices.lastSeen(id))
        }
        var description = DeviceDescription(id: id.description)
        description.name = member?.name.rawValue ?? id.description
        description.introducedBy = member?.introducedBy?.description ?? ""
        // Each advertisement names its version by its service UUID, and only those of this one are scanned for.
        description.protocolVersion = heard == nil ? 0 : UInt32(ProtocolVersion.current.rawValue)
        description.lastSeen = UInt64(clamping: heard?.unixMicroseconds ?? lastSeen ?? 0)
        return description
    }
}

extension RemovalConsequences {
    /// Creates the bus representation of what else changes when a device is removed.
    init(_ consequences: (orphans: [Member], removed: [Member])) {
        func devices(_ members: [Member]) -> [Device] {
            members.map { Device(id: $0.id.description, name: $0.name.rawValue) }
        }
        self.init(orphaned: devices(consequences.orphans), removed: devices(consequences.removed))
    }
}

extension NearbyLaunchTarget {
    /// Creates the bus representation of a launch target.
    init(_ launchTarget: AppRegistry.LaunchTarget) {
        self =
            switch launchTarget {
            case .app(let app): .app(id: app.id, name: app.name, icon: app.icon)
            case .browser: .browser
            case .document: .document
            case .none: .nothing
            }
    }
}
