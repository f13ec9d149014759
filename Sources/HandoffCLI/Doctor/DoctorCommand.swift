import ArgumentParser
import HandoffBus

/// `handoffctl doctor`: examines everything that Handoff needs on this computer, and says how to mend it.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine what Handoff needs on this computer, and say how to mend it.",
        usage: "handoffctl doctor [<options>]",
        discussion: """
            Exits with 0 when nothing is at fault, and with 1 otherwise. Nothing is changed, and
            handoffd is not started; a test advertisement and a test scan, also during a pause,
            last a second. With --peer, the daemon scans for three seconds at most.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Option(
        help: ArgumentHelp("Also examine the way to a trusted device.", valueName: "device"),
        completion: KnownNames.devices.completion
    )
    var peer: String?

    @Option(
        help: ArgumentHelp("Write a report without names, keys and addresses.", valueName: "file"),
        completion: .file()
    )
    var report: String?

    @Option(help: .hidden)
    var root = ""

    func run() async throws {
        let output = Output(isJSON: options.json)
        let facts = await DoctorExamination(bus: options.bus, files: SystemFiles(root: root)).facts()
        var findings = Diagnosis.findings(from: facts)
        if let peer { findings += await PeerExamination(bus: options.bus, peer: peer).findings(facts) }
        try output.print(findings, Self.text(findings), indent: Self.indent)
        if let report { try DoctorReport(findings, facts, naming: peer).write(to: report, output) }
        if findings.contains(where: { $0.grade == .fault }) { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    /// The width of the marks before the findings.
    private static let indent = 6

    static func text(_ findings: [Finding]) -> String {
        findings.map { finding in
            let mark =
                switch finding.grade {
                case .good: "ok    "
                case .advice: "note  "
                case .fault: "FAULT "
                }
            let cure = finding.cure.map { "\n      -> \($0)" } ?? ""
            return "\(mark)\(finding.message)\(cure)"
        }.joined(separator: "\n")
    }
}
