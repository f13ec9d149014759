/// What mends the cause of each advisory of the daemon: the sentence of an advisory says why, this says how.
enum AdvisoryCure {
    private static let restart = "sudo systemctl restart bluetooth"
    private static let configuration = "/etc/bluetooth/main.conf"

    /// The cures by the names of the advisories (Docs/dbus/Manager1.md).
    static let all: [String: String] = [
        "air-file": "correct the file `air` of the simulated radio",
        "air-watch": "sudo sysctl fs.inotify.max_user_instances=256, then restart handoffd",
        "clock-differs": "timedatectl, here and there; where it is wrong: sudo timedatectl set-ntp true",
        "clock-unset": "sudo timedatectl set-ntp true",
        "device-name": "bluetoothctl system-alias Computer",
        "identity-copied": "remove the device on another one; then, here and on the copy, "
            + "rm -r ~/.local/state/handoff, and pair again",
        "identity-outdated": "bring your other devices near; then systemctl --user restart handoffd",
        "keys-missing": "timedatectl, here and there; then bring both near each other, and use an app on one of them",
        "not-advertising": "\(restart); else update bluez and the kernel",
        "not-listening": "systemctl --user restart handoffd; else set transport = both in handoffd.conf",
        "not-scanning": "\(restart); else update bluez and the kernel",
        "other-focus": "give the app the focus",
        "other-scan": "close Bluetooth settings and scanners; to find the program: "
            + "sudo dbus-monitor --system interface=org.bluez.Adapter1",
        "own-key-heard": "nothing, unless `identity-copied` follows",
        "public-address": "Privacy = device under [General] in \(configuration); \(restart)",
        "state-unwritable": "as it says; then handoffctl status again, after ten minutes at most",
        "slow-advertising": "MinAdvertisementInterval=244 and MaxAdvertisementInterval=668 under [LE] in "
            + "\(configuration); \(restart)",
        "withheld": "use the session; or staysWhenAway = yes in handoffd.conf, then handoffctl reload",
    ]

    /// Returns the cure of an advisory; one of a newer daemon has it in its sentence.
    static func text(for advisory: String) -> String { all[advisory] ?? "as it says; else handoffctl status" }
}
