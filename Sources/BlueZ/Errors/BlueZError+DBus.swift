package import DBus

extension BlueZError {
    /// The request that bluetoothd answered with an error.
    package enum Operation: Hashable, Sendable {
        case readObjects, registerAdvertisement, startDiscovery, registerApplication
        case readDevice, connectDevice, readAttribute, writeAttribute

        /// The words that follow "bluetoothd refused to".
        var words: String {
            switch self {
            case .readObjects: "list its objects"
            case .registerAdvertisement: "advertise"
            case .startDiscovery: "start discovery"
            case .registerApplication: "publish the GATT services"
            case .readDevice: "report the properties of the device"
            case .connectDevice: "connect to the device"
            case .readAttribute: "read the characteristic"
            case .writeAttribute: "write the characteristic"
            }
        }

        /// The code of a refusal whose cause is unknown.
        var refusal: Code {
            switch self {
            case .readObjects, .readDevice: .failed
            case .registerAdvertisement: .advertisingRefused
            case .startDiscovery: .discoveryRefused
            case .registerApplication: .applicationRefused
            case .connectDevice: .connectFailed
            case .readAttribute, .writeAttribute: .attributeRefused
            }
        }
    }

    /// Converts an error of the bus to an error of this module.
    package init(_ error: DBusError, during operation: Operation) {
        switch error.code {
        case .remote:
            self = Self.reply(named: error.name?.description ?? "", error.message, during: operation)
        case .disconnected, .connectFailed:
            self.init(.busLost, "the connection to the system bus was lost: \(error.message)")
        case .timedOut, .noReply:
            self.init(
                .timedOut,
                "bluetoothd did not answer when asked to \(operation.words); see 'journalctl -u bluetooth'"
            )
        case .cancelled:
            self.init(.cancelled, error.message)
        case .unexpectedReply:
            self.init(
                .unexpectedReply,
                "bluetoothd gave an unexpected answer when asked to \(operation.words): \(error.message)"
            )
        default:
            self.init(.failed, "bluetoothd could not be asked to \(operation.words): \(error.message)")
        }
    }

    /// Converts any error of a call to bluetoothd to an error of this module.
    init(any error: any Error, during operation: Operation) {
        switch error {
        case let error as BlueZError: self = error
        case let error as DBusError: self.init(error, during: operation)
        case is CancellationError: self.init(.cancelled, "the task was cancelled")
        default: self.init(operation.refusal, "bluetoothd could not be asked to \(operation.words): \(error)")
        }
    }

    /// Maps the error names of bluez src/error.c and of the bus itself.
    private static func reply(named name: String, _ text: String, during operation: Operation) -> BlueZError {
        switch name {
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
            .serviceAbsent
        case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected":
            .serviceRestarted
        case "org.freedesktop.DBus.Error.AccessDenied":
            .accessDenied
        case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
            "org.freedesktop.DBus.Error.UnknownInterface":
            absentObject(text, during: operation)
        case _ where name.hasPrefix("org.bluez.Error."):
            refusal(named: name.dropFirst("org.bluez.Error.".count), text, during: operation)
        default:
            BlueZError(operation.refusal, "bluetoothd refused to \(operation.words): \(text) [\(name)]")
        }
    }

    private static func absentObject(_ text: String, during operation: Operation) -> BlueZError {
        switch operation {
        case .connectDevice, .readDevice:
            BlueZError(.deviceAbsent, "bluetoothd no longer knows the device: scan until it is found again")
        case .readAttribute, .writeAttribute:
            BlueZError(
                .attributeAbsent,
                "the characteristic is gone because the device was disconnected: connect again"
            )
        default:
            BlueZError(
                .adapterAbsent,
                "the Bluetooth adapter is gone, or lacks what is needed to \(operation.words): \(text)"
            )
        }
    }

    private static func refusal(named name: Substring, _ text: String, during operation: Operation) -> BlueZError {
        switch (name, operation) {
        case ("NotReady", _):
            BlueZError(.poweredOff, "the Bluetooth adapter is switched off: switch it on with 'bluetoothctl power on'")
        case ("NotPermitted", .registerAdvertisement):
            BlueZError(
                .advertisingSlotsTaken,
                "all advertisements that this adapter supports are taken by other programs: stop one of them"
            )
        case ("InvalidLength", .registerAdvertisement):
            BlueZError(.invalidAdvertisement, "the advertisement is longer than the adapter can send: \(text)")
        case ("InvalidArguments", _):
            BlueZError(
                .invalidArguments,
                "bluetoothd rejected the arguments of the call: \(text); please report this"
            )
        case ("Failed", .registerAdvertisement):
            failedAdvertisement(text)
        case ("InProgress", _), ("AlreadyExists", _):
            BlueZError(.busy, "bluetoothd is busy and refused to \(operation.words): try again in a moment")
        case ("DoesNotExist", .connectDevice):
            BlueZError(.deviceAbsent, "bluetoothd no longer knows the device: scan until it is found again")
        case ("NotConnected", _):
            BlueZError(.notConnected, "the device is no longer connected: connect again")
        default:
            BlueZError(operation.refusal, "bluetoothd refused to \(operation.words): \(text) [\(name)]")
        }
    }

    /// Distinguishes the one failure with a known cause from the others.
    ///
    /// "Failed to register advertisement" is the text of bluez 5.66…5.87 src/advertising.c, add_client_complete, for
    /// any error of the kernel. The known cause: BlueZ before 5.87 (commit 2a6968b40) sends 8 bytes too many in MGMT
    /// Add Extended Advertising Data, which kernels with d3f7d17960ed but without 149324fc762c refuse.
    private static func failedAdvertisement(_ text: String) -> BlueZError {
        guard text.hasPrefix("Failed to register advertisement") else {
            return BlueZError(
                .advertisingRefused,
                "bluetoothd refused to advertise: \(text); see 'journalctl -u bluetooth'"
            )
        }
        return BlueZError(
            .advertisingRefused,
            "the kernel refused the advertisement. If 'journalctl -u bluetooth' says 'Invalid Parameters (0x0d)', this "
                + "is a kernel of mid-2026 (such as 6.12.93 or 6.18.34) that refuses every advertisement from BlueZ "
                + "5.86 or older: install a newer kernel (6.18.36 works) or BlueZ 5.87"
        )
    }
}
