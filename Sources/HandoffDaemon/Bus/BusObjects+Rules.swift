import DBus
import HandoffBus

/// Changes of the properties of `Rules1` and `Settings1`, and of how much is scanned.
extension BusObjects {
    /// Emits PropertiesChanged for everything that the person can set.
    func showRules() {
        connection.objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.rulesInterface,
            [
                "Paused": .boolean(rules.isPaused),
                "PausedUntil": .uint64(rules.pausedUntil),
                "ReceiveOnly": .boolean(rules.isReceiveOnly),
                "Rules": .rules(rules.rules),
            ]
        )
    }

    /// Emits PropertiesChanged for what is withheld.
    func showWithheld() {
        connection.objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.rulesInterface,
            ["Withheld": .withheld(rules.withheld)]
        )
    }

    /// Emits PropertiesChanged for how much is scanned.
    func showScanning() {
        connection.objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.managerInterface,
            ["Scanning": ManagerObject(objects: self).scanning.value]
        )
    }

    /// Emits PropertiesChanged for the settings that hold after a restart only, and applies the others.
    func showSettings() {
        notifications.nearbyChanged()
        connection.objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.settingsInterface,
            ["NeedRestart": settings.needRestart.value]
        )
    }
}
