package import DBus
package import HandoffApps
package import HandoffFolders
package import HandoffModel
package import SystemPackage

/// The settings of a daemon that the user can choose, except for its radio.
package struct DaemonOptions: Sendable {
    /// The bus on which the daemon serves its clients.
    package var bus: BusAddress
    /// The directory for keys and trusted devices.
    package var stateDirectory: FilePath
    /// The user's directory for files of running programs; nil when there is none.
    package var runtimeDirectory: FilePath?
    /// The name that other devices display for this one.
    package var name: DeviceName

    /// Whether activities stay advertised while the user's session is locked or idle.
    package var staysWhenAway: Bool

    /// Whether the desktop shows a notification when an activity that can be continued appears nearby.
    package var notifies = true

    /// Whether streams may move from the radio to the local network.
    package var usesLocalNetwork = true

    /// Whether a cover advertisement is broadcast while there is nothing to continue.
    package var coversAdvertisement: Bool

    /// The directories in which apps are found.
    package var apps: AppScan

    /// The synchronised folders of the configuration file.
    package var folders = SyncedFolders()

    /// The user's home directory, if known.
    package var home: String?
    /// Where the answers of web sites are kept; nil for nowhere.
    package var siteCache: SiteCache?
    /// The source of the apps that open documents.
    package var documentApps: DocumentAppScan

    /// The device name as text.
    package var deviceName: String { name.rawValue }

    /// The device name in the form that a simulated station accepts: up to 32 letters, digits, `-` and `_`.
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
