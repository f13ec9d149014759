package import HandoffBus
import HandoffClient

extension DesktopState {
    /// What should work and does not, the most important first; what the person has switched off is none.
    ///
    /// - Parameter version: the version of this program.
    package func problems(version: String = HandoffVersion.current) -> [DaemonProblem] {
        switch daemon {
        case .absent: [DaemonProblem(name: "absent", message: "handoffd is not running.")]
        case .starting: []
        case .unusable(let message): [DaemonProblem(name: "unusable", message: message)]
        case .running(let mirror): Self.problems(of: mirror, version)
        }
    }

    private static func problems(of mirror: DaemonMirror, _ version: String) -> [DaemonProblem] {
        let status = mirror.status
        var problems = status.problems(trustedDevices: mirror.devices.count)
        if status.version != version {
            let versions = "handoffd is version \(status.version), and handoff-desktop version \(version)"
            problems.append(
                DaemonProblem(
                    name: "version",
                    message: "\(versions): one of them was not restarted after an update. Log out and in again."
                )
            )
        }
        problems += status.questions.map { question in
            DaemonProblem(
                name: "question",
                message: "Is \(question.name.shown) still one of your devices? Run `handoffctl devices`."
            )
        }
        return problems
    }

    /// What is not offered to other devices, or not shown, and why: the person's own rules and the locked session.
    package var withheld: [String] {
        guard let mirror else { return [] }
        let advisories = mirror.status.advisories.filter { $0.name == "withheld" }.map(\.message)
        let rules = mirror.rules.withheld
        return advisories + rules.filter { Self.denials.contains($0.reason) }.map(\.message)
    }

    /// The reasons that are rules about what is withheld.
    private static let denials: Set<String> = ["denied", "not-allowed", "unknown-host"]
}
