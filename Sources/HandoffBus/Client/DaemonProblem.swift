/// Something that should work and does not, as the daemon tells; encoded as `handoffctl status --check --json` prints it.
package struct DaemonProblem: Hashable, Encodable, Sendable {
    /// The name for programs.
    package let name: String
    /// What to do, in a sentence.
    package let message: String

    /// No other device is trusted.
    package static let noDevices = DaemonProblem(
        name: "no-devices",
        message:
            "No device is trusted yet, so nothing is advertised or scanned: run `handoffctl pair` here and on another one."
    )

    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }
}

extension DaemonStatus {
    /// The advisories that do not keep anything from working: what the user wants so, and what only could work better.
    private static let harmless: Set<String> = [
        "withheld", "slow-advertising", "device-name", "public-address", "own-key-heard", "other-scan",
        "other-focus",
    ]

    /// Returns what should work and does not, the most important first.
    ///
    /// - Parameter trustedDevices: how many other devices are trusted.
    package func problems(trustedDevices: Int) -> [DaemonProblem] {
        var problems: [DaemonProblem] = []
        if radioState != "ready" { problems.append(DaemonProblem(name: radioState, message: radioMessage)) }
        for advisory in advisories where !Self.harmless.contains(advisory.name) {
            problems.append(DaemonProblem(name: advisory.name, message: advisory.message))
        }
        return trustedDevices == 0 ? problems + [.noDevices] : problems
    }
}
