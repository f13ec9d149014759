import DBus
import HandoffBus
import HandoffDesktop
import HandoffModel
import TestLimits
import Testing

@Suite("The menu and the tray item follow the daemon", .endsWithin(minutes: 10))
struct DesktopStateTests {
    private typealias Fixture = DesktopFixture

    private func menu(_ state: DesktopState) throws -> MenuItem { state.menu(at: try #require(Fixture.now)) }

    private static let always = ["Pause for an hour", "Pause until resumed", "Receive only"]

    @Test("With nothing near and nothing wrong the item is passive, and the menu still offers everything")
    func quiet() throws {
        let state = Fixture.running()
        #expect(state.trayStatus.attention == .passive)
        #expect(
            try menu(state).labels
                == ["(No activity nearby)", "---", "Pair a device…", "Devices", "---"] + Self.always
        )
        #expect(try menu(state).item("Devices")?.labels == ["(laptop – never seen)"])
    }

    @Test("The window is offered where it is installed, also while there is no daemon")
    func window() throws {
        for var state in [Fixture.running(), DesktopState()] {
            #expect(try menu(state).item("Open Handoff…") == nil)
            state.hasWindow = true
            #expect(try menu(state).item("Open Handoff…")?.command == .openWindow)
        }
    }

    @Test("An activity appears, changes and goes with the daemon's signals")
    func activity() throws {
        var state = Fixture.running()
        let nearby = Fixture.nearby(7)
        state.apply(Fixture.added(nearby))
        #expect(state.trayStatus.attention == .active)
        #expect(try menu(state).item("Editor from laptop")?.command == .continueActivity(nearby.0))
        #expect(try menu(state).item("Editor from laptop")?.icon == "editor")
        state.apply(
            Fixture.changed(HandoffName.nearbyActivityInterface, at: nearby.0, ["ApplicationName": .string("Notes")])
        )
        state.apply(Fixture.changed(HandoffName.deviceInterface, at: Fixture.laptop, ["Name": .string("book")]))
        #expect(try menu(state).labels.first == "Notes from book")
        state.apply(Fixture.removed(nearby.0))
        #expect(state.activities.isEmpty && state.trayStatus.attention == .passive)
    }

    @Test("A signal strength changes nothing")
    func strength() {
        let state = Fixture.running([Fixture.nearby(1)])
        var changed = state
        let strength: [String: Value] = ["RSSI": .int16(-40)]
        changed.apply(
            Fixture.changed(HandoffName.nearbyActivityInterface, at: HandoffName.nearbyActivity(1), strength)
        )
        #expect(changed == state)
    }

    private static let nothing: [String: Value] = ["ApplicationName": .string(""), "Application": .string("")]

    private static func kind(_ kind: String, _ more: [String: Value] = [:]) -> [String: Value] {
        nothing.merging(["OpensWith": .string(kind)]) { $1 }.merging(more) { $1 }
    }

    private static let labelsByKind: [([String: Value], String)] = [
        (kind("browser"), "Web page from laptop"),
        (kind("document"), "Document from laptop"),
        (kind("none"), "(org.example.edit from laptop (no app here continues it))"),
        (kind("none", ["Type": .string("")]), "(Activity from laptop (no app here continues it))"),
        (["ApplicationName": .string("")], "org.example.Editor from laptop"),
    ]

    @Test(
        "An activity is named after what opens it, and one that nothing opens cannot be clicked and says why",
        arguments: labelsByKind
    )
    func kinds(_ properties: [String: Value], _ label: String) throws {
        #expect(try menu(Fixture.running([Fixture.nearby(1, properties)])).labels.first == label)
    }

    @Test("The newest activity comes first, titles are shown, and names that are hostile are harmless")
    func hostile() throws {
        let name = Value.string("<i>Evil</i>\u{202e}\n" + String(repeating: "😀", count: 64))
        var state = Fixture.running([Fixture.nearby(1), Fixture.nearby(2, ["ApplicationName": name])])
        state.titles[HandoffName.nearbyActivity(1)] = "Draft_1"
        let items = try menu(state).children
        #expect(items[0].label.hasPrefix("<i>Evil</i>··😀") && items[0].label.hasSuffix("😀… from laptop"))
        #expect(items[1].label == "“Draft_1” – Editor from laptop")
        #expect(items[1].properties["label"] == .string("“Draft__1” – Editor from laptop"))
        #expect(state.trayStatus.text.hasPrefix("&lt;i&gt;Evil&lt;/i&gt;··😀"))
    }

    @Test("A hundred activities and devices fill no screen: the menu says how many more there are")
    func hundred() throws {
        let devices = (1...100).map { (HandoffName.device("d\($0)"), ["Name": Value.string("device \($0)")]) }
        let state = Fixture.running((1...100).map { Fixture.nearby($0) }, devices: devices)
        let menu = try menu(state)
        #expect(menu.labels.prefix { $0 != "---" }.count == DesktopState.mostEntries + 1)
        #expect(menu.labels.contains("(and 80 more: `handoffctl nearby` lists all)"))
        let list = try #require(menu.item("Devices"))
        #expect(list.labels.count == 21 && list.labels.last == "(and 80 more: `handoffctl devices` lists all)")
        #expect(state.trayStatus.text.split(separator: "\n").count == 5)
        #expect(state.trayStatus.text.hasSuffix("and 96 more"))
    }

    @Test("A continuation shows what it waits for; only one of this program can be cancelled")
    func progress() throws {
        var state = Fixture.running([Fixture.nearby(1)])
        let path = HandoffName.nearbyActivity(1)
        state.apply(NearbyActivityEvent.continuationStarted(application: nil).signal(of: path))
        #expect(try menu(state).labels.prefix(2) == ["(Fetching an activity from laptop …)", "(Editor from laptop)"])
        state.ownContinuations.insert(path)
        #expect(try menu(state).item("Cancel fetching from laptop")?.command == .cancel(path))
        state.apply(NearbyActivityEvent.continuing(.synchronising(document: "/a/b.odt")).signal(of: path))
        #expect(state.continuationLines == ["Waiting until /a/b.odt is synchronised …"])
        state.apply(NearbyActivityEvent.continuing(.opening(application: "org.example.E")).signal(of: path))
        #expect(state.trayStatus.text == "Waiting for org.example.E …\nEditor from laptop")
        let failure = NearbyActivityEvent.continuationFailed(.peerUnreachable, message: "It is out of range.")
        state.apply(failure.signal(of: path))
        #expect(state.continuations.isEmpty)
    }

    @Test("A pause shows when it ends and offers to resume")
    func rules() throws {
        var state = Fixture.running()
        let paused: [String: Value] = ["Paused": .boolean(true), "ReceiveOnly": .boolean(true)]
        state.apply(Fixture.changed(HandoffName.rulesInterface, at: HandoffName.root, paused))
        #expect(try menu(state).item("Resume Handoff")?.command == .resume)
        #expect(try menu(state).item("Receive only")?.kind == .checkmark(true))
        #expect(try menu(state).item("Receive only")?.command == .setReceiveOnly(false))
        #expect(state.trayStatus.attention == .active && state.trayStatus.icon == TrayStatus.pausedIcon)
    }

    @Test("What is wrong is said, each in as many lines as it needs, with doctor's command")
    func problems() throws {
        let off: [String: Value] = [
            "RadioState": .string("BluetoothOff"), "RadioMessage": .string("Bluetooth is off. Switch it on."),
        ]
        let state = Fixture.running(manager: off, devices: [])
        #expect(state.trayStatus.icon == TrayStatus.problemIcon && state.trayStatus.attention == .active)
        let labels = try menu(state).labels
        #expect(labels.contains("(Bluetooth is off. Switch it on.)"))
        #expect(labels.contains("(No device is trusted yet, so nothing is advertised or)"))
        #expect(labels.last == "(`handoffctl doctor` examines everything)")
    }

    @Test("What is withheld is said: a locked session and the person's rules")
    func withheld() throws {
        let advisories = Value.advisories([("withheld", "The session is locked.")])
        let denied: [String: Value] = ["Reason": .string("denied"), "Message": .string("A rule denies it.")]
        let rules: [String: Value] = ["Withheld": [denied].value]
        let state = Fixture.running(manager: ["Advisories": advisories], rules: rules)
        #expect(state.problems().isEmpty)
        #expect(try menu(state).labels.suffix(2) == ["(The session is locked.)", "(A rule denies it.)"])
        #expect(state.trayStatus.text == "The session is locked.\nA rule denies it.")
    }

    @Test("An older or newer daemon is said, and so is one that does not answer")
    func otherVersion() throws {
        let state = Fixture.running(manager: ["Version": .string("0.0.1")])
        #expect(state.problems().map(\.name) == ["version"])
        var silent = DesktopState()
        silent.replaceDaemon(with: .unusable("handoffd does not answer: no reply."))
        #expect(try menu(silent).labels.first == "(handoffd does not answer: no reply.)")
    }

    @Test("Without a daemon the menu offers to start it, and nothing of the last one is left")
    func absent() throws {
        var state = Fixture.running([Fixture.nearby(1)])
        state.apply(
            NearbyActivityEvent.continuationStarted(application: nil).signal(of: HandoffName.nearbyActivity(1))
        )
        state.replaceDaemon(with: .absent)
        #expect(try menu(state).labels == ["(handoffd is not running.)", "Start handoffd"])
        #expect(state.continuations.isEmpty && state.trayStatus.icon == TrayStatus.problemIcon)
        state.apply(Fixture.added(Fixture.nearby(2)))
        #expect(state.activities.isEmpty)
    }
}
