/// Errors that are reported in more than one place.
extension BlueZError {
    package static let serviceAbsent = BlueZError(
        .serviceAbsent,
        "bluetoothd is not running: install BlueZ (package bluez) or start it with 'systemctl start bluetooth'"
    )

    package static let serviceRestarted = BlueZError(
        .serviceRestarted,
        "bluetoothd was stopped or restarted and has ended its work for this program; try again"
    )

    package static let accessDenied = BlueZError(
        .accessDenied,
        "the D-Bus policy does not allow this user to call bluetoothd: see /etc/dbus-1/system.d/bluetooth.conf, "
            + "or join the group that it names (often 'bluetooth') and log in again"
    )

    package static func adapterAbsent(_ name: String) -> BlueZError {
        BlueZError(.adapterAbsent, "the Bluetooth adapter \(name) is missing: plug it in, or choose another")
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
