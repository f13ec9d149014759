import DBus
import Synchronization

/// Sends notifications of one characteristic of ours, while it is published.
///
/// They go to every device that has subscribed: before 5.76 bluetoothd cannot address one alone (bluez
/// src/gatt-database.c, property_changed_cb). So what is in them is for everybody.
package final class GATTNotifier: Sendable {
    private struct Registration {
        let objects: ObjectTree
        let path: ObjectPath
    }

    private let registration = Mutex<Registration?>(nil)

    package init() {}

    /// Sends `value` to whoever has subscribed; to nobody while the characteristic is not published.
    package func notify(_ value: [UInt8]) {
        guard let registration = registration.withLock(\.self) else { return }
        registration.objects.propertiesChanged(
            at: registration.path,
            interface: "org.bluez.GattCharacteristic1",
            ["Value": .bytes(value)]
        )
    }

    /// The characteristic is published at that path from now on, or, with nil, not any more.
    func publish(_ path: ObjectPath?, in objects: ObjectTree) {
        registration.withLock { $0 = path.map { Registration(objects: objects, path: $0) } }
    }
}
