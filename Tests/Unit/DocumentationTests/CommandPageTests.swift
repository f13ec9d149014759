import DBus
import Foundation
import HandoffBrowser
@testable import HandoffBus
import HandoffJSON
@testable import HandoffCLI
import HandoffModel
import Testing
import TestLimits

@Suite("The examples in Docs/handoffctl.md have the keys that --json prints", .endsWithin(minutes: 10))
struct CommandPageTests {
    private static let page = Result { try Page("handoffctl.md") }

    /// The example in a section, as an object; the first element if it is a list.
    private static func example(in heading: String) throws -> [String: Any] {
        let block = try #require(try page.get().blocks("json", in: heading).first, "\(heading) has no example")
        let object = try JSONSerialization.jsonObject(with: Data(block.utf8))
        return try #require((object as? [String: Any]) ?? (object as? [[String: Any]])?.first)
    }

    private static func keys(_ document: some Encodable) throws -> Set<String> {
        let object = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(document))
        return Set(try #require(object as? [String: Any]).keys)
    }

    private static let nearby = NearbyActivityDescription(
        path: HandoffName.nearbyActivity(1),
        [
            "Type": .string("org.example.a"), "RSSI": .int16(-40), "Application": .string("a"),
            "ApplicationName": .string("A"), "FirstSeen": .uint64(1), "LastSeen": .uint64(1),
        ]
    )

    @Test("The example of status has the keys that the command prints")
    func status() throws {
        let status = DaemonStatus(["CurrentActivity": .objectPath("/a")])
        let interfaces = [HandoffName.activityInterface.description: ["Type": Value.string("a.b")].value].value
        let entry = DictionaryEntry(key: .objectPath("/a"), value: interfaces)
        let objects = HandoffObjects(managedObjects: .dictionary(key: .objectPath, value: interfaces.type, [entry]))
        let rules = RulesStatus(["Paused": .boolean(true), "PausedUntil": .uint64(1)])
        let report = StatusReport(status: status, objects: objects, rules: rules, needRestart: [])
        #expect(try Set(Self.example(in: "## status").keys) == Self.keys(StatusDocument(report)))
    }

    @Test("The example of nearby has the keys that the command prints")
    func nearby() throws {
        #expect(try Set(Self.example(in: "## nearby").keys) == Self.keys(NearbyDocument(Self.nearby)))
    }

    @Test("The example of devices has the keys that the command prints")
    func devices() throws {
        let device = DeviceDescription(
            path: "/d",
            ["LastSeen": .uint64(1), "IntroducedBy": .string("a"), "ProtocolVersion": .uint32(1)]
        )
        #expect(try Set(Self.example(in: "## devices").keys) == Self.keys(DeviceDocument(device)))
    }

    @Test("The example of pair has the keys that the command prints")
    func pair() throws {
        let document = PairingDocument(event: "digits", device: "d", deviceName: "a", digits: "000000")
        #expect(try Set(Self.example(in: "## pair").keys) == Self.keys(document))
    }

    @Test("The example of apps has the keys that the command prints")
    func apps() throws {
        let app = AppDescription(id: "a", name: "A", types: [], teamID: "T", entrance: "bus", defaults: [])
        #expect(try Set(Self.example(in: "## apps").keys) == Self.keys(AppDocument(app)))
    }

    @Test("The example of browser has the keys that the command prints")
    func browser() throws {
        let facts = BrowserFacts(
            browser: .firefox,
            packages: [.snap],
            manifest: "/m",
            isDefault: true,
            isConnected: true
        )
        #expect(try Set(Self.example(in: "## browser").keys) == Self.keys(BrowserDocument(facts)))
    }

    @Test("The example of folders has the keys that the command prints")
    func folders() throws {
        let folder = FolderDescription(id: "a", path: "/a", problem: "x", isConfigured: false)
        #expect(try Set(Self.example(in: "## folders").keys) == Self.keys(FolderDocument(folder)))
    }

    @Test("The examples of rules and pause have the keys that the commands print")
    func rules() throws {
        let status = RulesStatus(["Paused": .boolean(true), "PausedUntil": .uint64(1)])
        #expect(try Set(Self.example(in: "## rules").keys) == Self.keys(RulesDocument(status)))
        #expect(try Set(Self.example(in: "## pause").keys) == Self.keys(PauseDocument(status)))
    }

    @Test("The example of reload has the keys that the command prints")
    func reload() throws {
        #expect(
            try Set(Self.example(in: "## reload").keys) == Self.keys(ReloadResult(applied: [], needRestart: []))
        )
    }

    @Test("The example of monitor has the keys that the command prints")
    func monitor() throws {
        let signal = Signal(
            path: "/a",
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            arguments: [.string("a.b"), ["A": Value.byte(1)].value, [String]().value]
        )
        let event = try #require(MonitorEvent.events(of: signal).first)
        #expect(try Set(Self.example(in: "## monitor").keys) == Self.keys(event))
    }

    @Test("The example of continue has the keys that the command prints, and every kind of value in its own form")
    func continuing() throws {
        let activity = try Activity(
            type: ActivityType("org.example.a"),
            title: "a",
            webpageURL: WebpageURL("https://example.org")
        )
        let example = try Self.example(in: "## continue")
        #expect(
            try Set(example.keys)
                == Self.keys(ActivityDocument(FetchedActivity(activity, continuation: nil), from: Self.nearby))
        )

        let text = try JSONSerialization.data(withJSONObject: try #require(example["userInfo"]), options: .sortedKeys)
        let values = try JSONDecoder().decode([String: UserInfoJSON].self, from: text)
        // An integer above Int64.max is written like any other integer.
        #expect(Set(values.values.map(\.value.kind)).union([.unsigned]) == Set(UserInfoValue.Kind.allCases))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let again = try JSONSerialization.jsonObject(with: try encoder.encode(values))
        #expect(try JSONSerialization.data(withJSONObject: again, options: .sortedKeys) == text)
    }

    @Test("Each form of a value in the table is read as that kind")
    func forms() throws {
        let rows = try Self.page.get().rows
        for kind in UserInfoValue.Kind.allCases where kind != .unsigned {
            let row = try #require(rows.first { $0.first == kind.rawValue }, "\(kind) has no row")
            let forms = row[1].matches(of: /`([^`]+)`/).map { String($0.1) }
            #expect(!forms.isEmpty, "\(kind)")
            for form in forms {
                let value = try JSONDecoder().decode(UserInfoJSON.self, from: Data(form.utf8)).value
                #expect(value.kind == kind, "\(form)")
            }
        }
    }

    @Test("Each exit status has a row")
    func exitStatuses() throws {
        let rows = try Self.page.get().rows
        for status in [0, 64] + [ExitStatus.failed, .noDaemon, .notFound, .unconfirmed, .usage].map(\.rawValue) {
            #expect(rows.contains { $0.first == "\(status)" }, "\(status)")
        }
    }
}
