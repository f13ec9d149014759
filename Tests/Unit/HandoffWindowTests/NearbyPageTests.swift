import DBus
import HandoffBus
import HandoffWindow
import TestLimits
import Testing

@Suite("The page of what can be continued here", .endsWithin(minutes: 5))
struct NearbyPageTests {
    @Test("An activity has the icon and the name of the app that opens it, the device, and a button")
    func activity() throws {
        let window = Fixture(Fixture.state(nearby: [Fixture.activity()]))
        let row = try #require(window.rows(.nearby).first)
        #expect([row.icon, row.title, row.text] == ["notes", "Notes", "desk · very near"])
        guard case .button(let button) = row.controls.first else { throw Missing() }
        #expect(button.event == .continueActivity(Fixture.nearby))
        #expect(button.spoken == "Continue \u{2068}Notes\u{2069} from \u{2068}desk\u{2069}")
        #expect(window.page(.nearby).message == nil)
    }

    @Test(
        "What opens an activity, or why nothing does",
        arguments: [
            ("browser", "Web page", "web-browser-symbolic", 1),
            ("document", "Document", "x-office-document-symbolic", 1),
            (
                "none", "No app here opens this (type: \u{2068}org.example.notes\u{2069})", "dialog-question-symbolic",
                0
            ),
        ]
    )
    func targets(opensWith: String, title: String, icon: String, buttons: Int) throws {
        let changes: [String: Value] = [
            "OpensWith": .string(opensWith), "ApplicationIcon": .string(""), "RSSI": .int16(127),
        ]
        let row = try #require(
            Fixture(Fixture.state(nearby: [Fixture.activity(changes)])).rows(.nearby).first
        )
        #expect([row.title, row.text, row.icon] == [title, "desk", icon])
        #expect(row.controls.count == buttons)
    }

    @Test(
        "Why nothing is there, with what helps",
        arguments: [
            (Fixture.state(), "No other device yet", UserEvent.pair as UserEvent?),
            (
                Fixture.state(devices: ["00000000000000bb": ["Name": .string("desk")]]), "Nothing nearby", nil
            ),
            (
                Fixture.state(status: ["RadioState": .string("BluetoothOff"), "RadioMessage": .string("It is off.")]),
                "Bluetooth cannot be used", .examine
            ),
            (Fixture.state(rules: ["Paused": .boolean(true)]), "Handoff is paused", .resume),
        ]
    )
    func reasons(state: DaemonState, title: String, cure: UserEvent?) throws {
        let message = try #require(Fixture(state).page(.nearby).message)
        #expect(message.title == title)
        #expect(message.buttons.first?.event == cure)
    }

    @Test("What keeps this device from scanning is told where nothing is nearby")
    func scanning() {
        let scanning = ScanningDescription(effort: "none", interval: nil, reason: "sound", message: "A sound plays.")
        let state = Fixture.state(
            status: ["Scanning": scanning.value],
            devices: ["00000000000000bb": ["Name": .string("desk")]]
        )
        #expect(Fixture(state).page(.nearby).message?.text == "A sound plays.")
    }

    @Test("Without a bus no page offers to try again")
    func noBus() throws {
        var window = Fixture()
        window.daemon(.busLost("The connection was closed."))
        for name in PageName.allCases where name != .doctor {
            let message = try #require(window.page(name).message)
            #expect(message.title == "There is no session bus" && message.buttons.isEmpty)
        }
    }

    @Test("Rows stay where they are while a person looks, whatever the signals do; new ones come last")
    func order() {
        let signals = [-50, -80, -60] as [Int16]
        let three = signals.map { Fixture.activity(["RSSI": .int16($0)]) }
        var window = Fixture(Fixture.state(nearby: Array(three[..<2])))
        let ids = (1...3).map { HandoffName.nearbyActivity($0).description }
        #expect(window.rows(.nearby).map(\.id) == [ids[0], ids[1]], "the nearest is first")
        window.daemon(.state(Fixture.state(nearby: [three[1], three[0], three[2]])))
        #expect(window.rows(.nearby).map(\.id) == ids)
        window.daemon(.state(Fixture.state()))
        window.daemon(.state(Fixture.state(nearby: [three[1], three[0]])))
        #expect(window.rows(.nearby).map(\.id) == [ids[1], ids[0]])
    }

    @Test("Without a daemon every page but the doctor's says so, and offers to try again")
    func absent() throws {
        var window = Fixture(nil)
        #expect(window.page(.nearby).message?.isBusy == true)
        window.daemon(.failed(.connect, CallFailure(nil, "The name has no owner.")))
        for name in PageName.allCases where name != .doctor {
            let message = try #require(window.page(name).message)
            #expect(message.title == "handoffd is not running" && message.text.contains("The name has no owner."))
            #expect(message.buttons.map(\.event) == [.retry])
        }
        #expect(window.user(.retry) == [.connect])
        #expect(window.page(.nearby).message?.isBusy == true)
        window.daemon(.state(Fixture.state()))
        #expect(window.page(.nearby).message?.title == "No other device yet")
        window.daemon(.absent(nil))
        #expect(window.page(.nearby).message?.title == "handoffd is not running")
    }

    @Test("A daemon of another version is told")
    func version() {
        let window = Fixture(Fixture.state(status: ["Version": .string("9.9")]))
        #expect(window.row(.nearby, "version")?.text.contains("9.9") == true)
        #expect(Fixture().row(.nearby, "version") == nil)
    }

    @Test("What rules hide is told with the rule")
    func hidden() {
        let window = Fixture(Fixture.state(rules: ["Withheld": Self.withheld(by: "desk")]))
        #expect(window.row(.nearby, "withheld0")?.text == "A rule denies it.")
    }

    @Test("What this device offers is told, and why not where it is withheld")
    func own() {
        let own: [String: Value] = [
            "Current": .boolean(true), "Type": .string("org.example.notes"), "Title": .string("List"),
        ]
        let window = Fixture(Fixture.state(own: own))
        #expect(window.row(.nearby, "own")?.title == "List")
        let denied = Fixture(Fixture.state(own: own, rules: ["Withheld": Self.withheld(by: nil)]))
        #expect(denied.row(.nearby, "own")?.text == "A rule denies it.")
        #expect(denied.row(.nearby, "withheld0") == nil)
    }

    @Test("That this device offers nothing, because another app has the focus, is told")
    func otherFocus() {
        let advisories = [(name: "other-focus", message: "Another app has it.")]
        let window = Fixture(Fixture.state(status: ["Advisories": .advisories(advisories)]))
        #expect(window.row(.nearby, "own")?.title == "Nothing at present")
        #expect(window.row(.nearby, "own")?.text == "Another app has it.")
        #expect(Fixture().row(.nearby, "own") == nil)
    }

    @Test("A continuation shows its steps, can be cancelled, and tells its end")
    func continuation() {
        let app = AppDescription(
            id: "org.example.Notes",
            name: "Notes",
            types: [],
            teamID: "",
            entrance: "bus",
            defaults: []
        )
        var window = Fixture(Fixture.state(nearby: [Fixture.activity()], apps: [app]))
        #expect(
            window.user(.continueActivity(Fixture.nearby)) == [.continueActivity(Fixture.nearby, opensPrograms: false)]
        )
        #expect(window.user(.continueActivity(Fixture.nearby)).isEmpty, "once at a time")
        #expect(window.rows(.nearby).first?.isBusy == true)
        window.daemon(.step(Fixture.nearby, .synchronising(document: "/home/me/Report.odt")))
        #expect(window.rows(.nearby).first?.text.hasPrefix("Waiting for \u{2068}Report.odt\u{2069} …") == true)
        #expect(window.user(.cancelContinuation(Fixture.nearby)) == [.cancelContinuation(Fixture.nearby)])
        let result = ContinuationResult(outcome: "app", application: "org.example.Notes")
        #expect(
            window.daemon(.continued(Fixture.nearby, .success(result))) == [.tell("Continued in \u{2068}Notes\u{2069}")]
        )
        #expect(window.rows(.nearby).first?.isBusy == false)
    }

    @Test("A failure of a continuation is told, what the person has cancelled is not")
    func failures() {
        var window = Fixture(Fixture.state(nearby: [Fixture.activity()]))
        window.user(.continueActivity(Fixture.nearby))
        let failure = CallFailure(.peerUnreachable, "desk does not answer.")
        #expect(window.daemon(.continued(Fixture.nearby, .failure(failure))) == [.tell("desk does not answer.")])
        window.user(.continueActivity(Fixture.nearby))
        #expect(window.daemon(.continued(Fixture.nearby, .failure(CallFailure(.userCancelled, "")))).isEmpty)
    }

    @Test("A document that may start a program is opened only after a question, which Enter cancels")
    func program() throws {
        var window = Fixture(Fixture.state(nearby: [Fixture.activity()]))
        window.user(.continueActivity(Fixture.nearby))
        window.daemon(.continued(Fixture.nearby, .failure(CallFailure(.documentIsProgram, "It is a script."))))
        let question = try #require(window.model.view.question)
        #expect(question.text == "It is a script." && question.entry == nil && question.responses.first?.id == "cancel")
        #expect(window.user(.answer(QuestionAnswer(to: 1, response: "cancel"))).isEmpty)
        #expect(window.model.view.question == nil)
        window.user(.continueActivity(Fixture.nearby))
        window.daemon(.continued(Fixture.nearby, .failure(CallFailure(.documentIsProgram, "It is a script."))))
        #expect(
            window.user(.answer(QuestionAnswer(to: 2, response: "open")))
                == [.continueActivity(Fixture.nearby, opensPrograms: true)]
        )
    }

    @Test("Titles are fetched only while the person looks at the list, one at a time, once each")
    func titles() {
        var window = Fixture()
        let two = Fixture.state(nearby: [Fixture.activity(), Fixture.activity(["RSSI": .int16(-90)])])
        #expect(window.daemon(.state(two)).isEmpty, "the window has no focus")
        #expect(window.user(.focused(true)) == [.preview(Fixture.nearby)])
        #expect(window.daemon(.state(two)).isEmpty)
        let other = HandoffName.nearbyActivity(2)
        #expect(window.daemon(.title(Fixture.nearby, "Shopping")) == [.preview(other)])
        #expect(window.rows(.nearby).first?.title == "Shopping")
        #expect(window.rows(.nearby).first?.text == "Notes · desk · very near")
        #expect(window.daemon(.title(other, nil)).isEmpty)
        #expect(window.daemon(.state(two)).isEmpty)
        window.user(.showed(.rules))
        #expect(window.daemon(.state(Fixture.state())).isEmpty)
        #expect(window.daemon(.state(two)).isEmpty, "another page is shown")
        #expect(window.user(.showed(.nearby)) == [.preview(Fixture.nearby)])
    }

    @Test("A hundred activities are a hundred rows")
    func hundred() {
        let window = Fixture(Fixture.state(nearby: (0..<100).map { _ in Fixture.activity() }))
        #expect(Set(window.rows(.nearby).map(\.id)).count == 100)
    }

    /// What the rules withhold: the activity of another device, or with nil the one of this device.
    private static func withheld(by device: String?) -> Value {
        let own = HandoffName.activities.appending("1")
        let withheld = WithheldDescription(
            activity: device == nil ? own : nil,
            deviceName: device ?? "",
            type: "org.example.notes",
            reason: "denied",
            kind: "type",
            value: "org.example.notes",
            message: "A rule denies it."
        )
        return Value.withheld([withheld])
    }

    private struct Missing: Error {}
}
