import DBus
import HandoffBus
import HandoffWindow
import TestLimits
import Testing

@Suite("The pages of devices, rules and findings", .endsWithin(minutes: 5))
struct CirclePageTests {
    private static let desk = "00000000000000bb"
    private static let phone = "00000000000000cc"

    private static func circle(_ rules: [String: Value] = [:]) -> DaemonState {
        Fixture.state(
            devices: [
                desk: [
                    "Name": .string("desk"), "IntroducedBy": .string("00000000000000aa"),
                    "LastSeen": .uint64(Fixture.now - 5 * Fixture.minute),
                ],
                phone: ["Name": .string("phone"), "IntroducedBy": .string(desk), "LastSeen": .uint64(0)],
            ],
            rules: rules,
            apps: [
                AppDescription(
                    id: "org.example.Notes",
                    name: "Notes",
                    types: [],
                    teamID: "",
                    entrance: "",
                    defaults: []
                )
            ]
        )
    }

    @Test("Each device is shown with when it was seen and who has introduced it")
    func devices() {
        let window = Fixture(Self.circle())
        #expect(window.row(.devices, Self.desk)?.text == "seen 5 minutes ago · paired with this device")
        #expect(window.row(.devices, Self.phone)?.text == "never seen · introduced by \u{2068}desk\u{2069}")
        #expect(window.row(.devices, "own")?.title == "laptop")
    }

    @Test("No page shows the id of a device, which says nothing to a person; a report of an error has this one's")
    func ids() {
        let window = Fixture(Self.circle())
        for page in PageName.allCases {
            for row in window.rows(page) {
                for id in ["00000000000000aa", Self.desk, Self.phone] {
                    #expect(!row.title.contains(id) && !row.text.contains(id), "\(page): \(row.title), \(row.text)")
                }
            }
        }
        #expect(window.model.view.debugText.contains("device 00000000000000aa"))
    }

    @Test("A device is removed after a question that shows whom it has introduced, and those can be kept")
    func removal() throws {
        var window = Fixture(Self.circle())
        #expect(window.user(.remove(device: Self.desk)) == [.askConsequences(device: Self.desk)])
        #expect(window.model.view.question == nil)
        let consequences = RemovalConsequences(orphaned: [.init(id: Self.phone, name: "phone")], removed: [])
        window.daemon(.consequences(device: Self.desk, consequences))
        let question = try #require(window.model.view.question)
        #expect(question.text.contains("cannot be undone") && !question.text.contains("key"), "for a person")
        #expect(question.text.contains("Only it has introduced \u{2068}phone\u{2069}: these go with it."))
        #expect(question.marks.map(\.id) == [Self.phone])
        #expect(question.responses.map(\.id) == ["cancel", "remove"])
        let answer = QuestionAnswer(to: 1, response: "remove", marked: [Self.phone])
        #expect(window.user(.answer(answer)) == [.remove(device: Self.desk, keeping: [Self.phone])])
    }

    @Test("A question about a device that goes meanwhile goes, too, and its answer does nothing")
    func gone() {
        var window = Fixture(Self.circle())
        window.daemon(.consequences(device: Self.desk, RemovalConsequences(orphaned: [], removed: [])))
        window.daemon(.state(Fixture.state()))
        #expect(window.model.view.question == nil)
        #expect(window.user(.answer(QuestionAnswer(to: 1, response: "remove"))).isEmpty)
    }

    @Test("This device and others are renamed by a question with the old name")
    func renaming() {
        var window = Fixture(Self.circle())
        window.user(.rename(device: Self.desk))
        #expect(window.model.view.question?.entry?.text == "desk")
        #expect(
            window.user(.answer(QuestionAnswer(to: 1, response: "rename", text: "mac")))
                == [.rename(device: Self.desk, "mac")]
        )
        window.user(.rename(device: ""))
        #expect(window.model.view.question?.entry?.text == "laptop")
    }

    @Test("A name of any content is text: 64 emoji, right-to-left, markup and control characters")
    func names() {
        let names = [String(repeating: "🦊", count: 64), "שלום", "<b>&amp;</b>", "a\u{202E}b\u{7}\nc"]
        let shownNames = [names[0], names[1], names[2], "a·b··c"]
        for (name, shown) in zip(names, shownNames) {
            let window = Fixture(Fixture.state(devices: [Self.desk: ["Name": .string(name)]]))
            #expect(window.row(.devices, Self.desk)?.title == shown)
        }
    }

    @Test("What only a person can decide is on top, and the page calls for attention")
    func questions() {
        let question = DeviceQuestion(id: Self.phone, name: "phone", reason: .disputed, others: ["desk"])
        var window = Fixture(Fixture.state(status: ["Questions": DeviceQuestion.list([question])]))
        #expect(window.page(.devices).groups.first?.id == "questions")
        #expect(window.model.view.calling == [.devices])
        #expect(window.user(.keep(device: Self.phone)) == [.keep(device: Self.phone)])
        #expect(window.user(.drop(device: Self.phone)).isEmpty, "the person is asked")
        #expect(window.model.view.question?.heading == "Remove \u{2068}phone\u{2069}?")
        let answer = QuestionAnswer(to: 1, response: "remove")
        #expect(window.user(.answer(answer)) == [.drop(device: Self.phone)])
        #expect(window.user(.answer(answer)).isEmpty, "one answer to each question")
    }

    @Test("No question takes the place of one that is open, and an answer to an earlier one does nothing")
    func oneQuestion() {
        var window = Fixture(Self.circle())
        let nothing = RemovalConsequences(orphaned: [], removed: [])
        window.daemon(.consequences(device: Self.phone, nothing))
        window.daemon(.consequences(device: Self.desk, nothing))
        #expect(window.model.view.question?.heading == "Remove \u{2068}phone\u{2069}?")
        window.user(.answer(QuestionAnswer(to: 1, response: "cancel")))
        window.user(.remove(device: Self.desk))
        window.daemon(.consequences(device: Self.desk, nothing))
        #expect(window.model.view.questionNumber == 2)
        #expect(window.user(.answer(QuestionAnswer(to: 1, response: "remove"))).isEmpty)
        #expect(
            window.user(.answer(QuestionAnswer(to: 2, response: "remove")))
                == [.remove(device: Self.desk, keeping: [])]
        )
    }

    @Test("Switches pause, receive only, and leave a device or an app out")
    func switches() throws {
        var window = Fixture(Self.circle())
        #expect(try toggle(window, "pause").isOn)
        #expect(window.user(try toggle(window, "pause").off) == [.pause(until: 0)])
        #expect(window.user(.pause(minutes: 60)) == [.pause(until: Fixture.now + 60 * Fixture.minute)])
        #expect(window.user(try toggle(window, "receive-only").on) == [.setReceiveOnly(true)])
        let denial = RuleDescription(verdict: "deny", kind: "device", value: Self.desk)
        #expect(window.user(try toggle(window, "device \(Self.desk)").off) == [.setRule(denial)])
        window.daemon(.state(Self.circle(["Rules": Value.rules([denial]), "Paused": .boolean(true)])))
        #expect(try !toggle(window, "device \(Self.desk)").isOn && !toggle(window, "pause").isOn)
        #expect(
            window.user(try toggle(window, "device \(Self.desk)").on) == [.removeRule(kind: "device", value: Self.desk)]
        )
        #expect(try toggle(window, "app org.example.Notes").isOn)
    }

    @Test("A rule about a site is written in a question, and listed with a button that removes it")
    func sites() throws {
        var window = Fixture(Self.circle())
        window.user(.addRule(kind: "site"))
        #expect(window.model.view.question?.responses.map(\.id) == ["cancel", "allow", "deny"])
        let rule = RuleDescription(verdict: "deny", kind: "site", value: "bank.example")
        #expect(window.user(.answer(QuestionAnswer(to: 1, response: "deny", text: "bank.example"))) == [.setRule(rule)])
        window.daemon(.state(Self.circle(["Rules": Value.rules([rule])])))
        #expect(window.row(.rules, "site bank.example")?.text == "Denied")
    }

    @Test(
        "How long a pause lasts is told in words",
        arguments: [
            (0, "Handoff is paused until you resume it."), (1, "Handoff is paused for 1 more minute."),
            (59, "Handoff is paused for 59 more minutes."), (180, "Handoff is paused for 3 more hours."),
        ] as [(UInt64, String)]
    )
    func pauses(minutes: UInt64, text: String) {
        let end = minutes == 0 ? 0 : Fixture.now + minutes * Fixture.minute - 1_000_000
        #expect(pauseLength(until: end, now: Fixture.now) == text)
    }

    @Test("What is said of times stays true while the window is open")
    func minutes() {
        let end = Fixture.now + 5 * Fixture.minute - 1
        var window = Fixture(Self.circle(["Paused": .boolean(true), "PausedUntil": .uint64(end)]))
        #expect(window.row(.rules, "pause")?.text == "Handoff is paused for 5 more minutes.")
        window.handle(.minutePassed, at: Fixture.now + Fixture.minute)
        #expect(window.row(.rules, "pause")?.text == "Handoff is paused for 4 more minutes.")
        #expect(window.row(.devices, Self.desk)?.text.hasPrefix("seen 6 minutes ago") == true)
    }

    @Test("The doctor's findings are shown with their cures, faults first")
    func doctor() throws {
        var window = Fixture(nil)
        #expect(window.user(.examine) == [.examine])
        #expect(window.user(.examine).isEmpty, "once at a time")
        let output = """
            [{"check":"bus","grade":"good","message":"The bus answers."},
             {"check":"radio","grade":"fault","message":"Bluetooth is off.","cure":"bluetoothctl power on"}]
            """
        window.daemon(.doctor(output: output, status: 1))
        #expect(window.page(.doctor).message?.title == "Something is at fault")
        #expect(window.page(.doctor).groups.map(\.id) == ["fault", "good"])
        #expect(window.rows(.doctor).first?.text == "bluetoothctl power on")
    }

    @Test(
        "A doctor who does not answer is no finding",
        arguments: [("", -1), ("[]", 0), ("Segmentation fault", 0), ("[{}]", 1), ("[]", 139)]
    )
    func noDoctor(output: String, status: Int) {
        #expect(Examination(output: output, status: status) == .failed)
    }

    private func toggle(_ window: Fixture, _ id: String) throws -> ToggleView {
        let row = try #require(window.row(.rules, id))
        guard case .toggle(let toggle) = row.controls.first else { throw Missing() }
        return toggle
    }

    private struct Missing: Error {}
}
