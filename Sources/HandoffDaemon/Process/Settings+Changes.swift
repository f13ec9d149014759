extension Settings {
    /// Returns the settings that differ from `other` and hold from a restart of the daemon on only, by their keys.
    func differencesForRestart(from other: Settings) -> [String] {
        let radioKey =
            switch (radio, other.radio) {
            case (.bluez, .bluez): "adapter"
            default: "radio"
            }
        let differences = [
            (radioKey, radio != other.radio), ("transport", transport != other.transport),
            ("bus", daemon.bus != other.daemon.bus),
        ]
        return differences.filter(\.1).map(\.0)
    }

    /// Returns the settings that differ from `other` and can change while the daemon runs, by their keys.
    func differencesAtRunTime(from other: Settings) -> [ConfigurationFile.Key] {
        let differences: [(ConfigurationFile.Key, Bool)] = [
            (.name, daemon.name != other.daemon.name), (.logLevel, logLevel != other.logLevel),
            (.staysWhenAway, daemon.staysWhenAway != other.daemon.staysWhenAway),
            (.coverAdvertisement, daemon.coversAdvertisement != other.daemon.coversAdvertisement),
            (.localNetwork, daemon.usesLocalNetwork != other.daemon.usesLocalNetwork),
            (.notifies, daemon.notifies != other.daemon.notifies),
            (.folders, daemon.folders != other.daemon.folders),
        ]
        return differences.filter(\.1).map(\.0)
    }
}
