package import DBus

/// The daemon's objects on the bus at one moment.
package struct HandoffObjects: Sendable {
    /// An activity of this device.
    package struct LocalActivity: Hashable, Sendable {
        package let path: ObjectPath
        package let properties: [String: Value]

        /// The number that was assigned when it was created.
        var id: UInt64 { UInt64(path.lastElement) ?? 0 }
    }

    /// Activities of other devices, nearest first.
    package let nearby: [NearbyActivityDescription]
    /// Trusted devices, ordered by name.
    package let devices: [DeviceDescription]
    /// Activities of this device, oldest first.
    package let activities: [LocalActivity]

    /// Parses the result of `GetManagedObjects`; unknown interfaces are ignored.
    package init(managedObjects: Value) {
        let objects = (managedObjects.dictionary ?? []).compactMap { object in
            object.key.objectPath.map { ($0, object.value.stringDictionary ?? [:]) }
        }
        self.init(
            Dictionary(objects) { _, last in last }.mapValues { $0.compactMapValues(\.stringDictionary) }
        )
    }

    /// Sorts objects by kind; unknown interfaces are ignored.
    ///
    /// - Parameter objects: the properties of each object, by interface.
    package init(_ objects: [ObjectPath: [String: [String: Value]]]) {
        var nearby: [NearbyActivityDescription] = []
        var devices: [DeviceDescription] = []
        var activities: [LocalActivity] = []
        for (path, interfaces) in objects {
            if let properties = interfaces[HandoffName.nearbyActivityInterface.description] {
                nearby.append(NearbyActivityDescription(path: path, properties))
            }
            if let properties = interfaces[HandoffName.deviceInterface.description] {
                devices.append(DeviceDescription(path: path, properties))
            }
            if let properties = interfaces[HandoffName.activityInterface.description] {
                activities.append(LocalActivity(path: path, properties: properties))
            }
        }
        self.nearby = nearby.sorted { ($0.signal, $1.id) > ($1.signal, $0.id) }
        self.devices = devices.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        self.activities = activities.sorted { ($0.id, $0.path) < ($1.id, $1.path) }
    }
}
