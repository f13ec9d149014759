import DBus

/// A Wi-Fi network to which this computer is connected.
struct WirelessNetwork: Hashable, Sendable {
    /// The kernel's name of the device, such as `wlan0`.
    let interface: String
    /// The frequency of the channel in MHz.
    let frequency: UInt32
    /// Whether the device seems to be on one chip with the Bluetooth adapter.
    var sharesRadio = false

    /// Whether it uses the band of Bluetooth, 2.4 GHz (IEEE 802.11: channels 1 to 14 are at 2412 to 2484 MHz).
    var isInBandOfBluetooth: Bool { (2400...2500).contains(frequency) }
}

/// Asks NetworkManager for the Wi-Fi networks of this computer, which other programs do not tell everybody.
struct WirelessExamination: Sendable {
    private static let name: BusName = "org.freedesktop.NetworkManager"
    private static let device: InterfaceName = "org.freedesktop.NetworkManager.Device"
    private static let patience = Duration.seconds(5)
    /// `NM_DEVICE_TYPE_WIFI` (NetworkManager nm-dbus-types).
    private static let wifi: UInt32 = 2

    let connection: Connection

    /// Returns the networks; none without NetworkManager, which is not started.
    func networks() async -> [WirelessNetwork] {
        guard (try? await connection.owner(of: Self.name)) ?? nil != nil else { return [] }
        let call = MethodCall(
            destination: Self.name,
            path: "/org/freedesktop/NetworkManager",
            interface: "org.freedesktop.NetworkManager",
            member: "GetDevices",
            startsService: false
        )
        guard let reply = try? await connection.call(call, timeout: Self.patience),
            let devices = try? reply.decode(at: 0, as: [ObjectPath].self)
        else { return [] }
        var networks: [WirelessNetwork] = []
        for device in devices {
            if let network = try? await network(of: device) { networks.append(network) }
        }
        return networks
    }

    /// Returns the network of a device; nil when it is no Wi-Fi device, or not connected.
    private func network(of device: ObjectPath) async throws -> WirelessNetwork? {
        guard try await property("DeviceType", of: Self.device, at: device).uint32 == Self.wifi,
            let interface = try await property("Interface", of: Self.device, at: device).string
        else { return nil }
        let wireless: InterfaceName = "org.freedesktop.NetworkManager.Device.Wireless"
        guard let point = try await property("ActiveAccessPoint", of: wireless, at: device).objectPath, point != "/",
            case let accessPoint:InterfaceName = "org.freedesktop.NetworkManager.AccessPoint",
            let frequency = try await property("Frequency", of: accessPoint, at: point).uint32
        else { return nil }
        return WirelessNetwork(interface: interface, frequency: frequency)
    }

    private func property(_ name: MemberName, of interface: InterfaceName, at path: ObjectPath) async throws -> Value {
        try await connection.property(of: Self.name, at: path, interface: interface, name: name)
    }
}
