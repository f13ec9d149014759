import BlueZ

/// The part of the judgement that concerns a working radio: what could work better.
enum BluetoothAdvice {
    private static let restart = "sudo systemctl restart bluetooth"

    /// Returns what could work better with that adapter.
    static func findings(_ adapter: Adapter, _ facts: DoctorFacts) -> [Finding] {
        [attChannels(facts), channels(facts), suspension(of: adapter, facts), sound(over: adapter)].compactMap(\.self)
            + wireless(facts)
    }

    /// Finds the setting with which bluetoothd may not answer for half a minute after each connection, and with which
    /// kernels mix channels up (Docs/BlueZ.md).
    ///
    /// After 5.66, one channel is the default (bluez ab3ff0d2c); older ones are a finding of their own.
    private static func attChannels(_ facts: DoctorFacts) -> Finding? {
        let standard = facts.bluetoothVersion == BlueZRelease(5, 66) ? 3 : 1
        let count = facts.attChannels ?? standard
        guard count > 1 else { return nil }
        return .advice(
            "att-channels",
            "bluetoothd opens \(count) ATT channels to each device: now and then it does not answer for half a minute then, "
                + "and streams over Bluetooth may break.",
            cure: "Channels = 1 under [GATT] in \(SystemFiles.bluetoothConfiguration); \(restart)"
        )
    }

    private static func channels(_ facts: DoctorFacts) -> Finding? {
        switch facts.channels {
        case .notTried: nil
        case .accepted: .good("channels", "The kernel has LE channels (L2CAP), the fast way between devices.")
        case .refused(let error):
            .advice(
                "channels",
                "LE channels (L2CAP) cannot be used here, so that handoffd uses GATT, which is much slower: \(error)",
                cure: "sudo modprobe bluetooth; else another kernel; then systemctl --user restart handoffd"
            )
        }
    }

    private static func suspension(of adapter: Adapter, _ facts: DoctorFacts) -> Finding? {
        guard facts.isSuspendedWhenIdle == true else { return nil }
        return .advice(
            "autosuspend",
            "The kernel may suspend the adapter \(adapter.name) while it is idle; some then miss advertisements.",
            cure: "echo on | sudo tee /sys/class/bluetooth/\(adapter.name)/device/../power/control"
        )
    }

    private static func sound(over adapter: Adapter) -> Finding? {
        guard adapter.isPlayingAudio else { return nil }
        return .advice(
            "sound",
            "Sound is going over \(adapter.name): meanwhile other devices are looked for only when you ask.",
            cure: "handoffctl nearby; or a second adapter: `adapter` in handoffd.conf"
        )
    }

    private static func wireless(_ facts: DoctorFacts) -> [Finding] {
        facts.wireless.filter { $0.isInBandOfBluetooth && $0.sharesRadio }.map { network in
            .advice(
                "wifi",
                "Wi-Fi (\(network.interface)) is connected at \(network.frequency) MHz, in the band of Bluetooth, and both are "
                    + "probably on one chip: entries may come and go, and streams over Bluetooth be slow.",
                cure: "use a network of 5 GHz, or another Bluetooth adapter: `adapter` in handoffd.conf"
            )
        }
    }
}
