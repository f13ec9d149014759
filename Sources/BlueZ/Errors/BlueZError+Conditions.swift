/// The conditions that are met in more than one place: one wording for each.
extension BlueZError {
    package static let serviceAbsent = BlueZError(
        .serviceAbsent,
        "bluetoothd is not running: install BlueZ (package bluez) or start it with 'systemctl start bluetooth'"
    )

    package static let serviceRestarted = BlueZError(
        .serviceRestarted,
        "bluetoothd was stopped or restarted; what it was doing for us has ended and can be asked for again"
    )

    package static let accessDenied = BlueZError(
        .accessDenied,
        "the D-Bus policy does not let this user talk to bluetoothd: see /etc/dbus-1/system.d/bluetooth.conf, "
            + "or join the group that it names (often 'bluetooth') and log in again"
    )

    package static func adapterAbsent(_ name: String) -> BlueZError {
        BlueZError(.adapterAbsent, "the Bluetooth adapter \(name) is not there: plug it in, or choose another")
    }

    package static func poweredOff(_ name: String) -> BlueZError {
        BlueZError(
            .poweredOff,
            "the Bluetooth adapter \(name) is switched off: switch it on with 'bluetoothctl power on'"
        )
    }

    package static func blocked(_ name: String) -> BlueZError {
        BlueZError(
            .blocked,
            "the Bluetooth adapter \(name) is blocked: leave flight mode, or run 'rfkill unblock bluetooth'"
        )
    }
}
