package import DBus
package import HandoffApps
package import HandoffModel
package import SystemPackage

/// The settings of a daemon that the user can choose, except for its radio.
package struct DaemonOptions: Sendable {
    /// The bus on which the daemon serves its clients.
    package let bus: BusAddress
    /// The directory for keys and trusted devices.
    package let stateDirectory: FilePath
    /// The user's directory for files of running programs; nil when there is none.
    package let runtimeDirectory: FilePath?
    /// The name that other devices display for this one.
    package var name: DeviceName { values.name ?? .linux }

    /// The settings, of which ``Engine/apply(_:)`` applies those that concern the engine.
    var values: SettingValues

    /// The directories in which apps are found.
    package let apps: AppScan

    /// The synchronised folders of the configuration file.
    package let folders: SyncedFolders

    /// The user's home directory, if known.
    package let home: String?
    /// Where the answers of web sites are kept; nil for nowhere.
    package let siteCache: SiteCache?
    /// The source of the apps that open documents.
    package let documentApps: DocumentAppScan

    /// The device name as text.
    package var deviceName: String { name.rawValue }

    /// The device name in the form that a simulated station accepts: up to 32 letters, digits, `-` and `_`.
    package var stationName: String {
        String(name.rawValue.prefix(32).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" })
    }

    /// - Parameters:
    ///   - values: the settings.
    ///   - stateDirectory: the directory for keys and trusted devices.
    ///   - folders: the folders of the configuration files.
    ///   - home: the user's home directory, if known.
    ///   - environment: names the directories of the user and of the system.
    init(
        _ values: SettingValues,
        stateDirectory: FilePath,
        folders: SyncedFolders,
        home: String?,
        environment: [String: String]
    ) {
        let directories = AppDirectories(environment: environment)
        (bus, self.stateDirectory) = (values.bus, stateDirectory)
        runtimeDirectory = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? FilePath($0) : nil }
        self.values = values
        apps = AppScan(directories: directories, environment: environment)
        documentApps = DocumentAppScan(directories: directories, environment: environment)
        (self.folders, self.home) = (folders, home)
        siteCache = SiteCache(environment: environment)
    }
}
