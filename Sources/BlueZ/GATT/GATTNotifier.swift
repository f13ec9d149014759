import DBus
import Synchronization

/// Sends notifications of one local characteristic while it is published.
///
/// Every subscribed device receives them: before 5.76, bluetoothd cannot notify a single one (bluez
/// src/gatt-database.c, property_changed_cb). So their contents must be public.
package final class GATTNotifier: Sendable {
    private struct Registration {
        let objects: ObjectTree
        let path: ObjectPath
    }

    private let registration = Mutex<Registration?>(nil)

    package init() {}

    /// Sends `value` to all subscribed devices; does nothing while the characteristic is not published.
    package func notify(_ value: [UInt8]) {
        guard let registration = registration.withLock(\.self) else { return }
        registration.objects.propertiesChanged(
            at: registration.path,
            interface: "org.bluez.GattCharacteristic1",
            ["Value": .bytes(value)]
        )
    }

    /// Sets the path at which the characteristic is published; nil if it is not published any more.
    func publish(_ path: ObjectPath?, in objects: ObjectTree) {
        registration.withLock { $0 = path.map { Registration(objects: objects, path: $0) } }
    }
}
