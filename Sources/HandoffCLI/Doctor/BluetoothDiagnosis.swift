import BlueZ

/// The part of the judgement that concerns Bluetooth: each finding presupposes that the ones before it are good.
enum BluetoothDiagnosis {
    /// Returns the first fault on the way to a working radio, or else what could work better.
    static func findings(from facts: DoctorFacts) -> [Finding] {
        // A simulated radio, or one that works: then only the trials and the power settings are left.
        switch facts.bluetooth {
        case .noBus(let error):
            return [
                .fault(
                    "system-bus",
                    "The system bus cannot be reached, and with it bluetoothd: \(error)",
                    cure: "sudo systemctl start dbus"
                )
            ]
        case .silent(let error):
            return [
                .fault("bluetoothd", "bluetoothd does not answer: \(error)", cure: "sudo systemctl restart bluetooth")
            ]
        case .absent:
            return [
                .fault(
                    "bluetoothd",
                    "bluetoothd, the Bluetooth service of Linux, is not running.",
                    cure: "sudo apt install bluez && sudo systemctl enable --now bluetooth"
                )
            ]
        case .running(let adapters):
            guard !adapters.isEmpty, let adapter = facts.adapter else { return [noAdapter(facts)] }
            return adapterFindings(adapter, facts)
        }
    }

    private static func noAdapter(_ facts: DoctorFacts) -> Finding {
        if facts.radioSwitches.contains(where: \.isHardBlocked) { return hardBlocked }
        return .fault(
            "adapter",
            "There is no Bluetooth adapter. An adapter can also be lost when the computer wakes up; the kernel's log says "
                + "so.",
            cure:
                "plug one in, or sudo modprobe -r btusb && sudo modprobe btusb, and see journalctl -k --grep Bluetooth"
        )
    }

    private static let hardBlocked = Finding.fault(
        "switch",
        "Bluetooth is switched off by a switch or key of the computer.",
        cure: "use that switch or key; rfkill list shows when it has worked"
    )

    private static func adapterFindings(_ adapter: Adapter, _ facts: DoctorFacts) -> [Finding] {
        if facts.radioSwitches.contains(where: \.isHardBlocked) { return [hardBlocked] }
        switch adapter.power {
        case .blocked:
            return [.fault("switch", "Bluetooth is blocked, as in flight mode.", cure: "rfkill unblock bluetooth")]
        case .off:
            return [.fault("power", "The adapter \(adapter.name) is off.", cure: "bluetoothctl power on")]
        case .on: break
        }
        let tried = [
            trial(facts.advertisement, of: "advertisement", slots: adapter.advertising?.free),
            trial(facts.discovery, of: "scan", slots: nil),
        ]
        return [tooOld(facts) ?? roles(adapter, facts)] + tried.compactMap(\.self)
            + BluetoothAdvice.findings(adapter, facts)
    }

    /// Finds a bluetoothd that handoffd is not written for: properties that it needs may be missing.
    private static func tooOld(_ facts: DoctorFacts) -> Finding? {
        guard let version = facts.bluetoothVersion, version < .oldestSupported else { return nil }
        return .fault(
            "bluetoothd-version",
            "bluetoothd is version \(version), and handoffd is written for \(BlueZRelease.oldestSupported) and later.",
            cure: "update bluez, or the distribution"
        )
    }

    private static func roles(_ adapter: Adapter, _ facts: DoctorFacts) -> Finding {
        let needed: Set<String> = ["central", "peripheral"]
        guard needed.isSubset(of: adapter.roles) else {
            return .fault(
                "roles",
                "The adapter \(adapter.name) cannot both advertise and scan; it has the roles "
                    + "\(adapter.roles.sorted().joined(separator: ", ")).",
                cure: "use another adapter, and name it with --adapter or `adapter` in handoffd.conf"
            )
        }
        let version = facts.bluetoothVersion.map(\.description) ?? "at least \(adapter.release)"
        return .good("adapter", "The adapter \(adapter.name) is on, and bluetoothd is \(version).")
    }

    private static func trial(_ trial: DoctorFacts.Trial, of what: String, slots: Int?) -> Finding? {
        switch trial {
        case .notTried: nil
        case .accepted: .good(what, "A test \(what) was accepted.")
        case .refused(let error) where slots == 0:
            .fault(
                what,
                "A test \(what) was refused, because other programs use all places that the adapter has for it: \(error)",
                cure: "end one of the programs that advertise"
            )
        case .refused(let error):
            .fault(
                what,
                "A test \(what) was refused: \(error)",
                cure: "sudo systemctl restart bluetooth; else update bluez"
            )
        }
    }
}
