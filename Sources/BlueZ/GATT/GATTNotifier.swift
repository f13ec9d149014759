import DBus
import Synchronization

/// Sends notifications of one characteristic of ours, while it is published.
///
/// They go to every device that has subscribed: before 5.76 bluetoothd cannot address one alone (bluez
/// src/gatt-database.c, property_changed_cb). So what is in them is for everybody.
package final class GATTNotifier: Sendable {
    private struct Place {
        let objects: ObjectTree
        let path: ObjectPath
    }

    private let place = Mutex<Place?>(nil)

    package init() {}

    /// Sends `value` to whoever has subscribed; to nobody while the characteristic is not published.
    package func notify(_ value: [UInt8]) {
        guard let place = place.withLock(\.self) else { return }
        place.objects.propertiesChanged(
            at: place.path,
            interface: "org.bluez.GattCharacteristic1",
            ["Value": .bytes(value)]
        )
    }

    /// The characteristic is published at that path from now on, or, with nil, not any more.
    func publish(_ path: ObjectPath?, in objects: ObjectTree) {
        place.withLock { $0 = path.map { Place(objects: objects, path: $0) } }
    }
}
