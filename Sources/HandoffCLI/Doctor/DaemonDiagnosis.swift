import HandoffBus
import HandoffModel

/// The part of the judgement that concerns the daemon, and what it tells.
enum DaemonDiagnosis {
    /// Returns what the daemon is and tells, or why it tells nothing.
    static func findings(from facts: DoctorFacts) -> [Finding] {
        switch facts.daemon {
        case .noBus(let error):
            return [
                .fault(
                    "bus",
                    "The session bus cannot be reached, so no app and no command finds the daemon: \(error)",
                    cure: "log in with a desktop, or install dbus-user-session and log in again"
                )
            ]
        case .absent(let isStartable): return [absentDaemon(facts, isStartable: isStartable)]
        case .failing(let error):
            return [
                .fault("daemon", "handoffd answers with an error: \(error)", cure: "systemctl --user restart handoffd")
            ]
        case .running(let answers):
            return [versionFinding(facts, answers.status)] + trustFindings(answers)
                + (facts.time.map { timedFindings(answers, at: $0) } ?? []) + advisories(answers.status)
                + [unitFinding(facts)]
        }
    }

    private static func absentDaemon(_ facts: DoctorFacts, isStartable: Bool) -> Finding {
        func fault(_ message: String, _ cure: String) -> Finding { .fault("daemon", message, cure: cure) }
        switch facts.unit {
        case let unit? where unit.hasFailed:
            return fault(
                "handoffd was started and has failed; its log says why.",
                "journalctl --user -u handoffd --boot --lines 20"
            )
        case let unit? where unit.isExcluded:
            return fault(
                "systemd does not start handoffd for this account, which is one of the system's, as root is.",
                "use it as an ordinary user; or, in a terminal: handoffd --foreground"
            )
        case let unit? where unit.fileState.hasPrefix("masked"):
            return fault(
                "handoffd is not running, and its unit is masked, so that nothing can start it.",
                "systemctl --user unmask handoffd && systemctl --user start handoffd"
            )
        case _ where isStartable:
            return fault(
                "handoffd is not running, so that nothing is offered or noticed. The next call starts it; doctor does not.",
                "handoffctl status; then handoffctl doctor again"
            )
        case let unit? where unit.fileState != "not installed":
            return fault("handoffd is not running, and this bus cannot start it.", "systemctl --user start handoffd")
        default:
            return fault(
                "handoffd is not running on this bus, and is not installed as a service of it.",
                "install the package; or, in a terminal: handoffd --foreground"
            )
        }
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

    private static func trustFindings(_ answers: DoctorFacts.Answers) -> [Finding] {
        let trusted = answers.devices.count
        var findings: [Finding] = []
        if trusted > 0 {
            findings.append(.good("trust", "\(trusted) trusted \(trusted == 1 ? "device" : "devices")."))
        } else if answers.unconfirmed.isEmpty {
            findings.append(
                .advice(
                    "trust",
                    "No device is trusted yet, so nothing is advertised and nothing heard.",
                    cure: "handoffctl pair, here and on the other device"
                )
            )
        }
        return findings
            + answers.unconfirmed.map { device in
                .advice(
                    "unconfirmed",
                    "The pairing with \(device.name) is confirmed here, and not known to be confirmed there.",
                    cure: "bring both near each other; or, on both: handoffctl pair"
                )
            }
    }

    private static func timedFindings(_ answers: DoctorFacts.Answers, at now: Timestamp) -> [Finding] {
        answers.devices.compactMap { unheard($0, at: now) } + personFindings(answers.rules, at: now)
    }

    /// Finds that a device was not heard for a day: it is out of reach, off, or its Handoff does not work.
    private static func unheard(_ device: DeviceDescription, at now: Timestamp) -> Finding? {
        device.silence(at: now).map { silence in
            .advice("unheard", "\(silence).", cure: "on \(device.name), near this computer: handoffctl doctor")
        }
    }

    /// What the person has switched off, which may be forgotten.
    private static func personFindings(_ rules: RulesStatus, at now: Timestamp) -> [Finding] {
        if let paused = rules.pauseSentence(at: now) {
            return [.advice("paused", paused, cure: "handoffctl resume")]
        }
        guard !rules.isReceiveOnly else {
            return [
                .advice(
                    "receive-only",
                    "This device only receives, so that nothing of it is offered.",
                    cure: "handoffctl rules receive-only off"
                )
            ]
        }
        return rules.withheld.map { withheld in
            .advice("withheld-by-rule", withheld.message, cure: "handoffctl rules")
        }
    }

    /// What the daemon reports itself; a duty that the radio refuses is a fault.
    private static func advisories(_ status: DaemonStatus) -> [Finding] {
        status.advisories.map { name, message in
            let cure = AdvisoryCure.text(for: name)
            return name.hasPrefix("not-") ? .fault(name, message, cure: cure) : .advice(name, message, cure: cure)
        } + scanning(status.scanning)
    }

    /// How much is scanned; sound is found at the adapter, and what else keeps it from scanning is a finding of its own.
    private static func scanning(_ scanning: ScanningDescription) -> [Finding] {
        switch scanning.reason {
        case "away": [.advice("scanning", scanning.message, cure: "use the session; or: handoffctl nearby")]
        case "unheard": [.good("scanning", scanning.message)]
        default: []
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
        case "not installed"?:
            .advice(
                "unit",
                "handoffd.service is not installed, so that nothing starts handoffd when you log in.",
                cure: "install the package; or sudo make install, then systemctl --user daemon-reload"
            )
        case let state? where state.hasPrefix("masked"):
            .advice(
                "unit",
                "handoffd.service is masked, so that nothing starts handoffd when you log in.",
                cure: "systemctl --user unmask handoffd && systemctl --user enable handoffd"
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
}
