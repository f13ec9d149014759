import HandoffBus

/// The judgement of `handoffctl doctor`: facts in, findings out.
enum Diagnosis {
    /// Returns a finding for each check, in the order in which a person should mend them.
    static func findings(from facts: DoctorFacts) -> [Finding] {
        let radio = simulatedRadio(facts).map { [$0] } ?? BluetoothDiagnosis.findings(from: facts)
        return daemonFindings(facts) + stateFindings(facts) + radio + desktopFindings(facts)
    }

    private static func simulatedRadio(_ facts: DoctorFacts) -> Finding? {
        guard case .running(let status, _, _) = facts.daemon, status.radioState == "ready",
            !status.radioMessage.hasPrefix("hci")
        else { return nil }
        return .good("radio", "The daemon uses a simulated radio, and no Bluetooth.")
    }

    // MARK: The daemon

    private static func daemonFindings(_ facts: DoctorFacts) -> [Finding] {
        switch facts.daemon {
        case .noBus(let error):
            return [
                .fault(
                    "bus",
                    "The session bus cannot be reached, so no app and no command finds the daemon: \(error)",
                    cure: "log in with a desktop, or install dbus-user-session and log in again"
                )
            ]
        case .absent: return [absentDaemon(facts)]
        case .failing(let error):
            return [
                .fault("daemon", "handoffd answers with an error: \(error)", cure: "systemctl --user restart handoffd")
            ]
        case .running(let status, let trusted, _):
            return [versionFinding(facts, status), trustFinding(trusted)] + advisories(status) + [unitFinding(facts)]
        }
    }

    private static func absentDaemon(_ facts: DoctorFacts) -> Finding {
        guard facts.unit?.activeState == "failed" else {
            return .fault(
                "daemon",
                "handoffd is not running on this bus, and the bus cannot start it.",
                cure: "systemctl --user start handoffd"
            )
        }
        return .fault(
            "daemon",
            "handoffd was started and has failed; its log says why.",
            cure: "journalctl --user -u handoffd --boot --lines 20"
        )
    }

    private static func versionFinding(_ facts: DoctorFacts, _ status: DaemonStatus) -> Finding {
        guard status.version != facts.toolVersion else {
            return .good("daemon", "handoffd \(status.version) is running.")
        }
        return .fault(
            "version",
            "handoffd is version \(status.version), and handoffctl version \(facts.toolVersion): the daemon was not "
                + "restarted after an update.",
            cure: "systemctl --user restart handoffd"
        )
    }

    private static func trustFinding(_ trusted: Int) -> Finding {
        guard trusted == 0 else { return .good("trust", "\(trusted) trusted \(trusted == 1 ? "device" : "devices").") }
        return .advice(
            "trust",
            "No device is trusted yet, so nothing is advertised and nothing heard.",
            cure: "handoffctl pair, here and on the other device"
        )
    }

    /// What the daemon reports itself; a duty that the radio refuses is a fault.
    private static func advisories(_ status: DaemonStatus) -> [Finding] {
        status.advisories.map { name, message in
            name.hasPrefix("not-") ? .fault(name, message, cure: nil) : .advice(name, message, cure: nil)
        }
    }

    private static func unitFinding(_ facts: DoctorFacts) -> Finding {
        switch facts.unit?.fileState {
        case "enabled"?, "enabled-runtime"?, "static"?, "linked"?:
            .good("unit", "handoffd starts when you log in.")
        case nil:
            .advice(
                "unit",
                "There is no user systemd here, so that nothing starts handoffd when you log in.",
                cure: nil
            )
        case let state?:
            .advice(
                "unit",
                "handoffd.service is \(state): activities of other devices are noticed only after something has started "
                    + "it.",
                cure: "systemctl --user enable handoffd"
            )
        }
    }

    // MARK: The state

    private static func stateFindings(_ facts: DoctorFacts) -> [Finding] {
        guard let state = facts.stateDirectory else { return [] }
        var findings: [Finding] = []
        if let earlier = state.earlierPath, state.hasIdentity {
            findings.append(
                .advice(
                    "identity",
                    "\(earlier) has the keys of another identity of this computer, which is not used.",
                    cure: "rm \(earlier)/identity \(earlier)/devices"
                )
            )
        }
        if state.mode != nil, !state.belongsToUser {
            findings.append(
                .fault(
                    "state-owner",
                    "\(state.path) belongs to another user, so that handoffd cannot keep its keys there.",
                    cure: "sudo chown -R \"$USER\": \(state.path)"
                )
            )
        }
        if let mode = state.mode, mode & 0o077 != 0 {
            findings.append(
                .fault(
                    "state-mode",
                    "Others may read \(state.path), which holds the keys of this device.",
                    cure: "chmod -R go= \(state.path)"
                )
            )
        }
        return findings.isEmpty ? [.good("state", "The keys are in \(state.path), readable only by you.")] : findings
    }

    // MARK: The desktop

    private static func desktopFindings(_ facts: DoctorFacts) -> [Finding] {
        var findings: [Finding] = []
        if facts.isClockSynchronized == false {
            findings.append(
                .advice(
                    "clock",
                    "The clock does not follow a time server. Devices whose clocks differ by more than 15 minutes do not "
                        + "hear each other.",
                    cure: "sudo timedatectl set-ntp true"
                )
            )
        }
        if let instances = facts.inotifyInstances, instances < 128 {
            findings.append(
                .advice(
                    "inotify",
                    "The system allows \(instances) inotify instances, which programs that watch files use up; then new apps "
                        + "and documents are not noticed.",
                    cure: "sudo sysctl fs.inotify.max_user_instances=256"
                )
            )
        }
        if !facts.hasNotificationServer {
            findings.append(
                .advice(
                    "notifications",
                    "No notification server is on this bus, so that nothing tells you what can be continued here.",
                    cure: "use a desktop, or install and start dunst"
                )
            )
        }
        if !facts.opensWebpages {
            findings.append(
                .advice(
                    "browser",
                    "Neither the desktop portal nor xdg-open is there, so that web pages cannot be opened.",
                    cure: "sudo apt install xdg-utils"
                )
            )
        }
        if case .running(_, _, let problems) = facts.daemon {
            findings += problems.map { .fault("folder", $0, cure: "handoffctl folders") }
        }
        return findings
    }
}
