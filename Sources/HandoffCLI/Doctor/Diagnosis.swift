import HandoffBus

/// The judgement of `handoffctl doctor`: facts in, findings out.
enum Diagnosis {
    /// Returns a finding for each check, in the order in which a person should mend them.
    static func findings(from facts: DoctorFacts) -> [Finding] {
        let radio = simulatedRadio(facts).map { [$0] } ?? BluetoothDiagnosis.findings(from: facts)
        return DaemonDiagnosis.findings(from: facts) + stateFindings(facts) + radio
            + DesktopDiagnosis.findings(from: facts) + BrowserDiagnosis.findings(from: facts.browsers)
    }

    private static func simulatedRadio(_ facts: DoctorFacts) -> Finding? {
        guard case .running(let answers) = facts.daemon, case let status = answers.status, status.radioState == "ready",
            !status.radioMessage.hasPrefix("hci")
        else { return nil }
        return .good("radio", "The daemon uses a simulated radio, and no Bluetooth.")
    }

    // MARK: The state

    private static func stateFindings(_ facts: DoctorFacts) -> [Finding] {
        guard let state = facts.stateDirectory else { return [] }
        var findings: [Finding] = []
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
        guard state.mode != nil else {
            return [
                .good("state", "There are no keys in \(state.path): handoffd makes them, or has another --state-dir.")
            ]
        }
        return findings.isEmpty ? [.good("state", "The keys are in \(state.path), readable only by you.")] : findings
    }
}
