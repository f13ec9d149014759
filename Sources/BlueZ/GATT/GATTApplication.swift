import Bluetooth
import DBus
import Synchronization

/// The D-Bus objects that describe GATT services to bluetoothd.
///
///     <root>                               org.freedesktop.DBus.ObjectManager
///     <root>/service0                      org.bluez.GattService1
///     <root>/service0/characteristic0      org.bluez.GattCharacteristic1
struct GATTApplication {
    let root: ObjectPath

    let services: [GATTService]

    /// All objects below the root: bluetoothd reads them once and ignores later additions (bluez doc, GattManager1).
    var objects: [(path: ObjectPath, interface: Interface)] {
        services.enumerated().flatMap { index, service in
            let path = root.appending("service\(index)")
            let characteristics = service.characteristics.enumerated().map { index, characteristic in
                (path.appending("characteristic\(index)"), Self.interface(of: characteristic, in: path))
            }
            return [(path, Self.interface(of: service))] + characteristics
        }
    }

    /// The notifiers of all characteristics that notify, with the paths of their objects.
    var notifiers: [(path: ObjectPath, notifier: GATTNotifier)] {
        services.enumerated().flatMap { service, content in
            let path = root.appending("service\(service)")
            return content.characteristics.enumerated().compactMap { index, characteristic in
                characteristic.notifier.map { (path.appending("characteristic\(index)"), $0) }
            }
        }
    }

    private static func interface(of service: GATTService) -> Interface {
        Interface(
            name: "org.bluez.GattService1",
            properties: [constant("UUID", service.uuid.description), constant("Primary", true)]
        )
    }

    private static func interface(of characteristic: GATTCharacteristic, in service: ObjectPath) -> Interface {
        let options = Argument(name: "options", type: [String: Value].valueType)
        let value = Argument(name: "value", type: .array(.byte))
        return Interface(
            name: "org.bluez.GattCharacteristic1",
            methods: [
                Method(name: "ReadValue", inputs: [options], outputs: [value], handler: reader(of: characteristic)),
                Method(name: "WriteValue", inputs: [value, options], outputs: [], handler: writer(of: characteristic)),
                // bluetoothd keeps track of subscribers: these methods only have to exist.
                Method(name: "StartNotify") { _ in .reply([]) },
                Method(name: "StopNotify") { _ in .reply([]) },
            ],
            properties: [
                constant("UUID", characteristic.uuid.description),
                constant("Service", service),
                constant("Flags", characteristic.flags),
            ]
        )
    }

    private static func reader(of characteristic: GATTCharacteristic) -> @Sendable (Invocation) throws -> MethodResult {
        let reads = LongReadsBox()
        return { invocation in
            let request = GATTRequest(options: invocation.arguments.first)
            do throws(GATTRefusal) {
                guard let read = characteristic.read else { throw .notSupported }
                return .reply([.bytes(try reads.read(request, read))])
            } catch {
                throw DBusError.failure(error)
            }
        }
    }

    private static func writer(of characteristic: GATTCharacteristic) -> @Sendable (Invocation) throws -> MethodResult {
        { invocation in
            let request = GATTRequest(options: invocation.arguments.last)
            do throws(GATTRefusal) {
                guard let write = characteristic.write else { throw .notSupported }
                guard let value = invocation.arguments.first?.bytes, value.count <= LongReads.maximumLength else {
                    throw .invalidLength
                }
                if !request.isPrepareAuthorize { try write(value, request) }
                return .reply([])
            } catch {
                throw DBusError.failure(error)
            }
        }
    }

    private static func constant<Content: ValueConvertible>(_ name: MemberName, _ content: Content) -> Property {
        let value = content.value
        return Property(name: name, type: Content.valueType, changes: .constant) { value }
    }
}

/// The long reads of one characteristic, shared by calls that arrive on the loop's thread.
private final class LongReadsBox: Sendable {
    private let reads = Mutex(LongReads())

    func read(
        _ request: GATTRequest,
        _ current: (GATTRequest) throws(GATTRefusal) -> [UInt8]
    ) throws(GATTRefusal) -> [UInt8] {
        try reads.withLock { reads throws(GATTRefusal) in try reads.read(request, current) }
    }
}

extension DBusError {
    /// Returns the error reply that bluetoothd converts to an ATT error.
    fileprivate static func failure(_ refusal: GATTRefusal) -> DBusError {
        let name: ErrorName =
            switch refusal {
            case .failed: "org.bluez.Error.Failed"
            case .inProgress: "org.bluez.Error.InProgress"
            case .notPermitted: "org.bluez.Error.NotPermitted"
            case .invalidOffset: "org.bluez.Error.InvalidOffset"
            case .invalidLength: "org.bluez.Error.InvalidValueLength"
            case .notSupported: "org.bluez.Error.NotSupported"
            }
        return .failure(name, "the characteristic refused: \(refusal)")
    }
}
