package import DBus
package import HandoffModel
package import SystemPackage

/// What a person may decide about a daemon besides its radio.
package struct DaemonOptions: Sendable {
    /// The bus on which programs meet the daemon.
    package var bus: BusAddress
    /// Where keys and trusted devices are kept.
    package var stateDirectory: FilePath
    /// The name under which other devices show this one.
    package var name: DeviceName

    /// ``name`` as text.
    package var deviceName: String { name.rawValue }

    package init(bus: BusAddress, stateDirectory: FilePath, name: DeviceName) {
        self.bus = bus
        self.stateDirectory = stateDirectory
        self.name = name
    }
}
