package import DBus
package import HandoffApps
package import HandoffFolders
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

    /// Whether activities stay on the air while the person's session is locked or idle.
    package var staysWhenAway: Bool

    /// Whether the desktop shows a notification when something comes near that can be continued.
    package var notifies = true

    /// Whether something is advertised while there is nothing to continue.
    package var coversAdvertisement: Bool

    /// Where apps are found.
    package var apps: AppScan

    /// The synchronised folders of the configuration file.
    package var folders = SyncedFolders()

    /// The person's home directory, where there is one.
    package var home: String?
    /// Which apps open documents.
    package var documentApps: DocumentAppScan

    /// The name as text.
    package var deviceName: String { name.rawValue }

    /// The name as a station of the simulated air can have it: up to 32 letters, digits, `-` and `_`.
    package var stationName: String {
        String(name.rawValue.prefix(32).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" })
    }

    package init(
        bus: BusAddress,
        stateDirectory: FilePath,
        name: DeviceName,
        staysWhenAway: Bool = false,
        coversAdvertisement: Bool = false,
        apps: AppScan,
        documentApps: DocumentAppScan
    ) {
        self.bus = bus
        self.stateDirectory = stateDirectory
        self.name = name
        self.staysWhenAway = staysWhenAway
        self.coversAdvertisement = coversAdvertisement
        self.apps = apps
        self.documentApps = documentApps
    }
}
