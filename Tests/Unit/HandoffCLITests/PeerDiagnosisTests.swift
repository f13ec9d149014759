import DBus
import HandoffCore
import TestLimits
import Testing

@testable import HandoffBus
@testable import HandoffCLI

@Suite("doctor --peer finds the leg on which the way to a device ends", .endsWithin(minutes: 10))
struct PeerDiagnosisTests {
    private static let device = DeviceDescription.sample("Desktop", lastSeen: 1)

    private static func entry(rssi: Int16?) -> NearbyActivityDescription {
        let properties = rssi.map { ["RSSI": Value.int16($0)] } ?? [:]
        return NearbyActivityDescription(path: HandoffName.nearbyActivity(1), properties)
    }

    private static func status(_ advisories: [(name: String, message: String)] = []) -> DaemonStatus {
        DaemonStatus(["ProtocolVersion": .uint32(2), "Advisories": .advisories(advisories)])
    }

    private static let scanning = ScanningDescription(effort: "windows", interval: 1, reason: "", message: "")

    private static func legs(
        _ entry: NearbyActivityDescription?,
        _ status: DaemonStatus = status(),
        _ rules: RulesStatus = RulesStatus([:]),
        _ scanning: ScanningDescription = scanning,
        of device: DeviceDescription = device
    ) -> [String] {
        PeerDiagnosis.legs(to: device, entry, status, rules, scanning).map { "\($0.check) \($0.grade.rawValue)" }
    }

    @Test("A device that is heard has its version, its clock and its signal in the findings")
    func heard() {
        #expect(Self.legs(Self.entry(rssi: -59)) == ["peer-version good", "peer-heard good"])
        #expect(Self.legs(Self.entry(rssi: nil)) == ["peer-version good", "peer-heard good"])
        #expect(Self.legs(Self.entry(rssi: -90)) == ["peer-version good", "peer-heard advice"])
        var older = Self.device
        older.protocolVersion = 0
        #expect(Self.legs(Self.entry(rssi: -59), of: older) == ["peer-version advice", "peer-heard good"])
    }

    @Test("A device that is not heard is out of reach or idle, hidden by a rule, or cannot be heard by this one")
    func silent() {
        #expect(Self.legs(nil) == ["peer-heard advice"])
        let hidden = RulesStatus([
            "Withheld": .dictionaries([
                ["Device": .string("00000000000000ff"), "Message": .string("A rule denies it.")]
            ])
        ])
        let finding = PeerDiagnosis.legs(to: Self.device, nil, Self.status(), hidden, Self.scanning).first
        #expect(finding?.cure == "handoffctl rules")
        let paused = ScanningDescription(effort: "none", interval: nil, reason: "paused", message: "Handoff is paused.")
        #expect(Self.legs(nil, Self.status(), RulesStatus([:]), paused) == ["peer-heard fault"])
    }

    @Test("A clock that differs is that of the device, and not of one whose name begins alike")
    func clocks() {
        func advisory(_ name: String) -> DaemonStatus {
            Self.status([("clock-differs", ClockSkewDetector.explanation(of: name, slots: 9))])
        }
        #expect(Self.legs(nil, advisory("Desktop")) == ["peer-clock fault", "peer-heard advice"])
        for other in ["Desktop 2", "Old Desktop", "Tablet"] {
            #expect(Self.legs(nil, advisory(other)) == ["peer-heard advice"])
        }
        func version(_ status: DaemonStatus) -> String? {
            let legs = PeerDiagnosis.legs(
                to: Self.device,
                Self.entry(rssi: -59),
                status,
                RulesStatus([:]),
                Self.scanning
            )
            return legs.first { $0.check == "peer-version" }?.message
        }
        #expect(version(advisory("Tablet"))?.contains("its clock agrees") == true)
        #expect(version(advisory("Desktop"))?.contains("clock") == false)
    }

    @Test(
        "The error of a fetch names the leg, and each leg has a cure",
        arguments: [
            (HandoffErrorName.peerUnreachable, "peer-link", "nearer"), (.bluetoothOff, "peer-link", "doctor"),
            (.peerRefused, "peer-channel", "restart handoffd"), (.timedOut, "peer-session", "nearer"),
            (.notTrusted, "peer-session", "handoffctl pair"), (.peerMisbehaved, "peer-session", "same version"),
            (.noLongerCurrent, "peer-fetch", "again"), (.documentMissing, "peer-fetch", "continue"),
        ] as [(HandoffErrorName, String, String)]
    )
    func legsOfErrors(_ name: HandoffErrorName, _ check: String, _ cure: String) {
        let finding = PeerDiagnosis.failure(name.reply("A sentence."), of: "Desktop")
        #expect(finding.check == check)
        #expect(finding.grade == (name == .noLongerCurrent ? .advice : .fault))
        #expect(finding.cure?.contains(cure) == true)
        #expect(finding.message.contains("A sentence."))
    }

    @Test("A device that is not trusted is this one, an unconfirmed one or a questionable one")
    func untrusted() {
        let own = PeerDiagnosis.untrusted(.own(id: "aa", name: "Laptop"))
        #expect((own.grade, own.message) == (.fault, "Laptop is this device."))
        let unconfirmed = PeerDiagnosis.untrusted(.unconfirmed(UnconfirmedDevice(id: "bb", name: "Tablet")))
        #expect(unconfirmed.cure?.contains("handoffctl pair") == true)
        let question = DeviceQuestion(id: "cc", name: "Phone", reason: .disputed, others: [])
        #expect(PeerDiagnosis.untrusted(.questionable(question)).cure?.contains("devices keep cc") == true)
    }
}
