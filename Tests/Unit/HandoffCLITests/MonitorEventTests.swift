import DBus
import HandoffBus
import HandoffJSON
import HandoffModel
import TestLimits
import Testing

@testable import HandoffCLI

@Suite("The monitor reports the contents of signals", .endsWithin(minutes: 10))
struct MonitorEventTests {
    private func signal(_ member: MemberName, _ arguments: [Value]) -> Signal {
        Signal(
            path: "/org/handoffd/Handoff1",
            interface: "org.freedesktop.DBus.Properties",
            member: member,
            arguments: arguments
        )
    }

    @Test("Changed properties are one event with their new values")
    func changed() throws {
        let properties: [String: Value] = ["Title": .string("T"), "UserInfo": ["line": Value.int64(7)].value]
        let events = MonitorEvent.events(
            of: signal("PropertiesChanged", [.string("org.handoffd.Activity1"), properties.value, [String]().value])
        )
        #expect(events.map(\.event) == ["changed"])
        #expect(events.first?.properties["Title"] == UserInfoJSON(.string("T")))
        #expect(events.first?.properties["UserInfo"] == UserInfoJSON(.dictionary(["line": .integer(7)])))
        #expect(events.first?.text == #"changed Activity1 /org/handoffd/Handoff1 Title="T" UserInfo={"line":7}"#)
    }

    @Test("A new object is one event for each of our interfaces")
    func added() {
        let interfaces = Value.dictionary(
            key: .string,
            value: [String: Value].valueType,
            [
                DictionaryEntry(key: .string("org.handoffd.Device1"), value: ["Name": Value.string("n")].value),
                DictionaryEntry(key: .string("org.freedesktop.DBus.Peer"), value: [String: Value]().value),
            ]
        )
        let events = MonitorEvent.events(of: signal("InterfacesAdded", [.objectPath("/o"), interfaces]))
        #expect(events.map(\.text) == [#"added Device1 /o Name="n""#])
    }

    @Test("A removed object is one event for each of our interfaces")
    func removed() {
        let names = ["org.handoffd.Device1", "org.freedesktop.DBus.Peer"]
        let events = MonitorEvent.events(of: signal("InterfacesRemoved", [.objectPath("/o"), names.value]))
        #expect(events.map(\.text) == ["removed Device1 /o"])
    }

    @Test("Save requests, fetches and continuations of an activity are reported with all their details")
    func activityEvents() throws {
        let path = HandoffName.activity(3)
        let device = try DeviceID(bytes: [1, 2, 3, 4, 5, 6, 7, 8])
        let activity = try Activity(type: ActivityType("a.b"), userInfo: ["line": .integer(7)])
        let lines = [
            ActivityEvent.saveRequested, .saveEnded(.timedOut), .fetched(device: device, activity),
            .continued(device: device, name: "desk", kind: "app"),
            .continuationFailed(device: device, name: "desk", .appFailed, message: "It crashed."),
        ]
        .flatMap { MonitorEvent.events(of: $0.signal(of: path)) }.map(\.text)
        #expect(
            lines == [
                "saveRequested Activity1 \(path)",
                #"saveEnded Activity1 \#(path) Outcome="timed-out""#,
                #"fetched Activity1 \#(path) Activity={"Type":"a.b","UserInfo":{"line":7}} "#
                    + #"Device="/org/handoffd/Handoff1/Device/0102030405060708""#,
                #"continued Activity1 \#(path) Device="/org/handoffd/Handoff1/Device/0102030405060708" "#
                    + #"DeviceName="desk" Kind="app""#,
                #"continuationFailed Activity1 \#(path) Device="/org/handoffd/Handoff1/Device/0102030405060708" "#
                    + #"DeviceName="desk" Error="org.handoffd.Error.AppFailed" Message="It crashed.""#,
            ]
        )
    }

    @Test("What this device does with activities of others, pairings, and lists that change are reported")
    func otherEvents() {
        let path = HandoffName.nearbyActivity(3)
        let signals = [
            NearbyActivityEvent.continuationStarted(application: "org.example.Editor").signal(of: path),
            NearbyActivityEvent.continuing(.synchronising(document: "/docs/a")).signal(of: path),
            NearbyActivityEvent.continued(ContinuationResult(outcome: "browser", application: "")).signal(of: path),
            NearbyActivityEvent.continuationFailed(.peerUnreachable, message: "It is gone.").signal(of: path),
            PairingEvent.started.signal, PairingEvent.paired(device: HandoffName.device("12"), name: "desk").signal,
            PairingEvent.failed(.notPaired, message: "Nobody was there.").signal, .appsChanged, .foldersChanged,
        ]
        let root = HandoffName.root
        #expect(
            signals.flatMap(MonitorEvent.events(of:)).map(\.text) == [
                #"continuationStarted NearbyActivity1 \#(path) Application="org.example.Editor""#,
                #"continuationStep NearbyActivity1 \#(path) Document="/docs/a" Step="synchronising""#,
                #"continuationEnded NearbyActivity1 \#(path) Outcome="browser""#,
                #"continuationEnded NearbyActivity1 \#(path) Error="org.handoffd.Error.PeerUnreachable" "#
                    + #"Message="It is gone." Outcome="failed""#,
                "started Pairing1 \(root)",
                #"ended Pairing1 \#(root) Device="\#(root)/Device/12" DeviceName="desk" Outcome="paired""#,
                #"ended Pairing1 \#(root) Error="org.handoffd.Error.NotPaired" Message="Nobody was there." "#
                    + #"Outcome="failed""#,
                "appsChanged Apps1 \(root)",
                "foldersChanged Documents1 \(root)",
            ]
        )
    }

    @Test("A signal of an activity with unexpected arguments is ignored")
    func oddActivityEvent() {
        let odd = Signal(
            path: HandoffName.activity(3),
            interface: HandoffName.activityInterface,
            member: "SaveEnded",
            arguments: [.byte(1)]
        )
        #expect(MonitorEvent.events(of: odd).isEmpty)
    }

    @Test(
        "Signals of other kinds and malformed signals are ignored",
        arguments: [
            ("NameAcquired", [Value.string("x")]), ("PropertiesChanged", []),
            ("PropertiesChanged", [.byte(1), .byte(2), .byte(3)]),
            ("InterfacesAdded", [.string("/o")]), ("InterfacesRemoved", [.objectPath("/o"), .string("x")]),
        ] as [(String, [Value])]
    )
    func nothing(_ member: String, _ arguments: [Value]) throws {
        #expect(MonitorEvent.events(of: signal(try MemberName(member), arguments)).isEmpty)
    }

    @Test("An event is one line of text, whatever its properties contain")
    func hostileText() {
        let properties: [String: Value] = ["Title": .string("a\nb\u{1B}[2J")]
        let events = MonitorEvent.events(
            of: signal("PropertiesChanged", [.string("org.handoffd.Activity1"), properties.value, [String]().value])
        )
        #expect(events.first?.text.contains { $0.isNewline || $0 == "\u{1B}" } == false)
    }
}
