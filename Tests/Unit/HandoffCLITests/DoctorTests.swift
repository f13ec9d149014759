@testable import BlueZ
import Bluetooth
import DBus
import Foundation
import TestLimits
import Testing

@testable import HandoffBus
@testable import HandoffCLI
import HandoffModel

@Suite("doctor finds each fault, says why it matters, and how to mend it", .endsWithin(minutes: 10))
struct DoctorTests {
    @Test("A healthy computer has no fault and nothing to improve")
    func healthy() {
        #expect(Diagnosis.findings(from: .healthy).filter { $0.grade != .good } == [])
        #expect(Diagnosis.findings(from: .healthy).count >= 6)
    }

    @Test("Each fault is found, alone, with its grade and a cure", arguments: Fault.all)
    func fault(_ fault: Fault) throws {
        var facts = DoctorFacts.healthy
        fault.make(&facts)
        let findings = Diagnosis.findings(from: facts).filter { $0.grade != .good }
        #expect(findings.map(\.check) == [fault.check])
        let finding = try #require(findings.first)
        #expect(finding.grade == fault.grade)
        #expect(fault.cure.map { finding.cure?.contains($0) == true } ?? true)
        #expect(DoctorCommand.text(findings).contains(finding.message))
    }

    @Test("Devices that nobody hears for long are no fault: a finding tells how seldom is scanned")
    func unheard() throws {
        var facts = DoctorFacts.healthy
        facts.daemon = .running(.healthy(.sample(scanning: "unheard")))
        let findings = Diagnosis.findings(from: facts)
        #expect(findings.filter { $0.grade != .good } == [])
        #expect(findings.first { $0.check == "scanning" }?.message == "Not scanned.")
    }

    @Test("Each advisory that the daemon can report has a cure")
    func advisoryCures() throws {
        let page = try #require(try? String(contentsOf: Self.managerPage, encoding: .utf8))
        let section = try #require(
            page.components(separatedBy: "### Advisories").last?.components(separatedBy: "\n### ").first
        )
        let names = section.matches(of: /`([a-z]+-[a-z]+(?:-[a-z]+)?|withheld)`/).map { String($0.output.1) }
        #expect(Set(names).isSuperset(of: ["slow-advertising", "not-listening", "identity-copied", "withheld"]))
        for name in names { #expect(AdvisoryCure.all[name] != nil, "\(name) has no cure") }
    }

    @Test("The page for troubleshooting explains each check by its name")
    func troubleshooting() throws {
        let page = try String(contentsOf: Self.docs.appending(path: "Troubleshooting.md"), encoding: .utf8)
        let good = Diagnosis.findings(from: .healthy).map(\.check)
        let legs = ["peer", "clock", "version", "heard", "link", "channel", "session", "fetch"]
        let peer = legs.map { $0 == "peer" ? $0 : "peer-\($0)" }
        for check in Set(
            Fault.all.map(\.check) + good + peer + AdvisoryCure.all.keys + [
                "radio", "browser-extension", "browser-sandbox",
            ]
        ) {
            #expect(page.contains("`\(check)`"), "\(check) is not explained")
        }
    }

    private static let managerPage = docs.appending(path: "dbus/Manager1.md")
    private static let docs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs")

    @Test("A daemon with a simulated radio needs no Bluetooth")
    func simulated() {
        var facts = DoctorFacts.healthy
        facts.daemon = .running(.healthy(.sample(radio: "desktop")))
        facts.bluetooth = .noBus("none")
        #expect(Diagnosis.findings(from: facts).filter { $0.grade != .good } == [])
    }

    @Test("The version of bluetoothd decides about its default, which its configuration precedes, and is in the report")
    func versions() {
        var facts = DoctorFacts.healthy
        facts.bluetoothVersion = BlueZRelease(5, 66)
        facts.attChannels = 1
        #expect(Diagnosis.findings(from: facts).filter { $0.grade != .good } == [])
        #expect(DoctorReport([], facts, kernel: "6.1").text.contains("bluetoothd 5.66\n"))
        facts.bluetoothVersion = nil
        facts.attChannels = nil
        #expect(Diagnosis.findings(from: facts).filter { $0.grade != .good } == [])
        #expect(DoctorReport([], facts, kernel: "6.1").text.contains("bluetoothd at least 5.79\n"))
    }

    @Test("A report has no name, id, address or path in it")
    func report() {
        var facts = DoctorFacts.healthy
        var answers = DoctorFacts.Answers.healthy(
            .sample(
                advisories: [["clock-differs", "The clock of Ann's laptop at 00:AA:01:00:00:00 differs."]],
                questions: [DeviceQuestion(id: "00000000000000fe", name: "Emil's phone", reason: .disputed, others: [])]
            )
        )
        answers.folderProblems = ["The folder docs: /home/ann/Documents does not exist."]
        answers.devices = [.sample("Bert's desktop", lastSeen: 0)]
        answers.unconfirmed = [UnconfirmedDevice(id: "fedcba9876543210", name: "Cleo's tablet")]
        answers.faultyFiles = [AppFileFault(file: "/opt/ann/app.desktop", message: "the key Exec is missing")]
        facts.daemon = .running(answers)
        let more: [Finding] = [
            .fault("bus", "Failed to connect to socket /run/user/1007/bus: Connection refused", cure: nil),
            .fault("bus", "The address unix:path=/run/user/1007/bus,guid=00 is refused.", cure: nil),
            .fault("peer", "No device has the name or the ID \"Dora\".", cure: nil),
            .fault("peer", "Emil's phone is known, and not trusted any more.", cure: nil),
            .good("state", "main.conf is /etc/bluetooth/main.conf, and 1 of 2 and/or 1/4 is no path."),
        ]
        let text = DoctorReport(Diagnosis.findings(from: facts) + more, facts, naming: "Dora", kernel: "6.1").text
        let secrets = [
            "0123456789abcdef", "00:AA:01:00:00:00", "/home/ann", "Ann's", "Bert", "Cleo", "/opt/ann", "1007", "Dora",
            "Emil",
        ]
        #expect(text.contains("/etc/bluetooth/main.conf, and 1 of 2 and/or 1/4"))
        for secret in secrets {
            #expect(!text.contains(secret), "\(secret) is in the report:\n\(text)")
        }
        #expect(text.contains("kernel 6.1"))
        let short = DoctorReport([.good("bluetoothd", "a word, a name d, and end")], facts, naming: "d", kernel: "6.1")
        #expect(short.text.contains("a word, a name …, and end"))
        #expect(text.contains("fault folder"))
    }
}
