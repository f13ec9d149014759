@testable import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("Two devices that pair", .endsWithin(minutes: 10))
struct PairingMachineTests {
    private static func run(_ first: PairingSimulation.UserBehavior, _ second: PairingSimulation.UserBehavior) throws
        -> PairingSimulation
    {
        var simulation = try PairingSimulation([first, second])
        simulation.run()
        return simulation
    }

    @Test("Both devices show the same six digits, and after two confirmations they trust each other")
    func paired() throws {
        let simulation = try Self.run(.quick, .slow)
        #expect(simulation.outcomes == ["paired", "paired"])
        #expect(simulation.sides[0].digits == simulation.sides[1].digits && simulation.sides[0].digits.count == 1)
        #expect(
            simulation.sides[0].trusted == [simulation.sides[1].id]
                && simulation.sides[1].trusted == [simulation.sides[0].id]
        )
        #expect(simulation.isReconciled && simulation.isOver)
        #expect(simulation.time < .seconds(15))
    }

    @Test("A refusal on either side ends the pairing on both, with a message for each user", arguments: [0, 1])
    func declined(_ decliner: Int) throws {
        let simulation = try Self.run(decliner == 0 ? .declines : .quick, decliner == 1 ? .declines : .quick)
        #expect(simulation.outcomes == ["notPaired", "notPaired"])
        #expect(simulation.noDeviceTrusts)
        #expect(simulation.sides[decliner].sentence.contains("You said that the digits differ"))
        #expect(simulation.sides[1 - decliner].sentence.contains("The user of device\(decliner) said"))
        #expect(simulation.isReconciled)
    }

    @Test("A missing answer on one side ends the pairing on both after a minute", arguments: [0, 1])
    func tooSlow(_ silent: Int) throws {
        let simulation = try Self.run(silent == 0 ? .neverAnswers : .quick, silent == 1 ? .neverAnswers : .quick)
        #expect(simulation.outcomes == ["notPaired", "notPaired"])
        #expect(simulation.time >= PairingExchange.comparisonLimit && simulation.time < .seconds(75))
    }

    @Test("A confirmation that is withdrawn in time leaves neither side paired", arguments: [0, 1])
    func withdrawn(_ withdrawing: Int) throws {
        let simulation = try Self.run(withdrawing == 0 ? .withdraws : .slow, withdrawing == 1 ? .withdraws : .slow)
        #expect(simulation.outcomes == ["notPaired", "notPaired"])
        #expect(simulation.sides[withdrawing].sentence.contains("You have stopped"))
    }

    @Test("A confirmation that is withdrawn too late has the same outcome on both sides")
    func withdrawnTooLate() throws {
        let simulation = try Self.run(.withdraws, .quick)
        #expect(Set(simulation.outcomes).count == 1)
        #expect(simulation.sides[0].trusted.isEmpty == simulation.sides[1].trusted.isEmpty)
    }

    @Test("A device that is alone finds no other device in two minutes, and reports it")
    func alone() throws {
        var simulation = try PairingSimulation([.quick])
        simulation.run()
        #expect(simulation.sides[0].outcome?.word == "notPaired")
        #expect(simulation.sides[0].sentence.contains("No other pairing device"))
        #expect(simulation.time == PairingMachine.searchLimit)
    }

    @Test("The device that should be dialled dials when the other one does not hear it")
    func swapped() throws {
        var simulation = try PairingSimulation([.quick, .quick])
        simulation.handle(.heard(simulation.sides[1].machine.token), at: 0)
        while simulation.step() {}
        #expect(simulation.outcomes == ["paired", "paired"])
    }

    /// The number of events before both devices show digits.
    private static let stepsToDigits = 14

    @Test("Stopping ends the pairing on both sides, at any step", arguments: 0...stepsToDigits, [0, 1])
    func cancelled(_ steps: Int, _ canceller: Int) throws {
        var simulation = try PairingSimulation([.neverAnswers, .neverAnswers])
        simulation.hearAll()
        for _ in 0..<steps { _ = simulation.step() }
        #expect(simulation.sides.allSatisfy { !$0.digits.isEmpty } == (steps == Self.stepsToDigits))
        simulation.handle(.cancelled, at: canceller)
        while simulation.step() {}
        #expect(simulation.outcomes == ["notPaired", "notPaired"])
        #expect(simulation.noDeviceTrusts)
        #expect(simulation.sides[canceller].sentence.contains("You have stopped"))
    }

    @Test("A radio that fails ends the pairing with its reason, or leaves it unconfirmed", arguments: 0..<16)
    func radioGone(_ step: Int) throws {
        var simulation = try PairingSimulation([.slow, .quick])
        simulation.hearAll()
        for _ in 0..<(2 * step) { _ = simulation.step() }
        simulation.handle(.radioFailed(HandoffError(.radioUnavailable, "switched off")), at: 1)
        while simulation.step() {}
        #expect(simulation.sides[1].outcome != nil)
        #expect(simulation.sides[1].machine.isOver)
    }

    /// The record that one device cannot store, and when its user confirms.
    struct Disk: Sendable, CustomTestStringConvertible {
        let side: Int
        let status: PairingRecord.Status
        let user: PairingSimulation.UserBehavior

        var testDescription: String { "device\(side) \(status) \(user)" }

        static let full = [0, 1].flatMap { side in
            [PairingRecord.Status.notPaired, .unconfirmed].flatMap { status in
                // The device of the slow user has the other side's confirmation by then.
                [PairingSimulation.UserBehavior.quick, .slow].map { Disk(side: side, status: status, user: $0) }
            }
        }
    }

    @Test(
        "A pairing that cannot be stored is not confirmed, and both users get the reason at once",
        arguments: Disk.full
    )
    func unwritable(_ disk: Disk) throws {
        var simulation = try PairingSimulation(disk.side == 0 ? [disk.user, .quick] : [.quick, disk.user])
        simulation.sides[disk.side].failingStatus = disk.status
        simulation.run()
        #expect(simulation.outcomes == ["notPaired", "notPaired"])
        #expect(simulation.noDeviceTrusts && simulation.nothingUnconfirmed && simulation.isOver)
        #expect(simulation.sides[disk.side].sentence == "full")
        #expect(simulation.sides[1 - disk.side].sentence.contains("device\(disk.side) has ended the pairing"))
        #expect(simulation.time < .seconds(15))
    }

    @Test("A device that cannot store its trust reports the pairing as unconfirmed, and the other side as paired")
    func untrustable() throws {
        var simulation = try PairingSimulation([.quick, .quick])
        simulation.sides[0].trustFails = true
        simulation.run()
        #expect(simulation.sides[0].outcome?.word == "unconfirmed")
        #expect(simulation.sides[1].outcome?.word == "paired")
        try simulation.reconcile(from: 0, to: 1)
        #expect(simulation.sides[0].trusted == [simulation.sides[1].id])
    }

    @Test("A device retries after a lost channel, but not if the peer has confirmed and waits for an answer")
    func abandoned() throws {
        var simulation = try PairingSimulation([.slow, .quick])
        // The confirmation of the quick user.
        simulation.fault = (8, .lost)
        simulation.hearAll()
        while simulation.sides[0].abandoned.isEmpty, simulation.step() {}
        let abandoned = try #require(simulation.sides[0].abandoned.first)
        let unknown = try #require(PairingID(bytes: Array(repeating: 0, count: PairingID.byteCount)))
        simulation.handle(.reconciled(unknown), at: 0)
        #expect(simulation.outcomes == ["-", "unconfirmed"])
        try simulation.reconcile(from: 0, to: 1)
        simulation.handle(.reconciled(abandoned), at: 0)
        #expect(simulation.sides[0].sentence.contains("was lost, and nothing was paired"))
        while simulation.step() {}
        #expect(simulation.nothingUnconfirmed && simulation.noDeviceTrusts && simulation.time < .seconds(15))
    }

    @Test("A device does not pair with its own echo")
    func echo() throws {
        var simulation = try PairingSimulation([.quick])
        simulation.handle(.heard(simulation.sides[0].machine.token), at: 0)
        while simulation.step() {}
        #expect(simulation.sides[0].machine.isOver && simulation.messageCount == 0)
    }
}

@Suite("Several devices that pair in one room", .endsWithin(minutes: 10))
struct ConcurrentPairingTests {
    @Test("Devices are offered by name, and those that are not chosen are notified")
    func offered() throws {
        var simulation = try PairingSimulation([.quick, .quick, .neverAnswers])
        simulation.sides[0].wanted = "device1"
        simulation.sides[1].wanted = "device0"
        simulation.run()
        #expect(simulation.sides[0].offers.first == ["device1", "device2"])
        #expect(simulation.sides[0].outcome?.word == "paired" && simulation.sides[1].outcome?.word == "paired")
        #expect(
            simulation.sides[0].trusted == [simulation.sides[1].id]
                && simulation.sides[1].trusted == [simulation.sides[0].id]
        )
        #expect(simulation.sides[2].digits.isEmpty && simulation.sides[2].trusted.isEmpty)
        #expect(simulation.sides[2].outcome?.word == "notPaired")
        #expect(simulation.sides[2].sentence.contains("was found, and another device was chosen there"))
    }

    @Test("A device whose channel takes long is waited for and offered, up to a limit", arguments: [3, 30])
    func slowChannel(_ seconds: Int) throws {
        var simulation = try PairingSimulation([.quick, .quick, .neverAnswers])
        simulation.sides[0].wanted = "device1"
        simulation.sides[1].wanted = "device0"
        simulation.sides[2].opening = .seconds(seconds)
        simulation.hearAll()
        while simulation.sides[0].outcome == nil || simulation.sides[1].outcome == nil, simulation.step() {}
        #expect(simulation.sides[0].outcome?.word == "paired" && simulation.sides[1].outcome?.word == "paired")
        #expect(simulation.sides[0].offers == (seconds == 3 ? [["device1", "device2"]] : []))
        #expect(simulation.time < PairingMachine.maximumCandidateWindow + .seconds(1))
    }

    @Test("A device that returns after a lost channel is not chosen before others had time to introduce themselves")
    func gatheredAnew() throws {
        var simulation = try PairingSimulation([.quick, .quick, .neverAnswers])
        for (listener, speaker) in [(0, 1), (1, 0)] {
            simulation.handle(.heard(simulation.sides[speaker].machine.token), at: listener)
        }
        while simulation.sides[0].machine.candidates.isEmpty || simulation.sides[1].machine.candidates.isEmpty,
            simulation.step()
        {}
        for side in 0...1 {
            for channel in simulation.sides[side].channels.keys { simulation.handle(.closed(channel), at: side) }
        }
        // The first channel to open again is the one that was lost.
        while simulation.sides[0].machine.candidates.isEmpty, simulation.step() {}
        #expect(simulation.time >= PairingMachine.redialDelay)
        for listener in 0...1 { simulation.handle(.heard(simulation.sides[2].machine.token), at: listener) }
        for speaker in 0...1 { simulation.handle(.heard(simulation.sides[speaker].machine.token), at: 2) }
        while simulation.sides[0].offers.isEmpty, simulation.sides[0].outcome == nil, simulation.step() {}
        #expect(simulation.sides[0].offers == [["device1", "device2"]])
    }

    @Test("A device chosen for want of others is chosen no more when another one introduces itself before it answered")
    func reconsidered() throws {
        var simulation = try PairingSimulation([.quick, .quick, .neverAnswers])
        simulation.sides[0].wanted = "device1"
        simulation.sides[1].wanted = "device0"
        // The third device sees both others and asks its user, who does not choose.
        simulation.meet(0, 2)
        simulation.meet(1, 2)
        simulation.meet(0, 1, in: .seconds(4))
        while simulation.sides[0].outcome == nil || simulation.sides[1].outcome == nil, simulation.step() {}
        #expect(simulation.sides[0].offers == [["device1", "device2"]])
        #expect(simulation.sides[1].offers == [["device0", "device2"]])
        #expect(Array(simulation.outcomes.prefix(2)) == ["paired", "paired"])
        #expect(simulation.sides[0].trusted == [simulation.sides[1].id])
        #expect(simulation.time < .seconds(10))
        while simulation.step() {}
        #expect(simulation.sides[2].sentence.contains("was found, and another device was chosen there"))
        #expect(simulation.sides[2].digits.isEmpty)
    }

    @Test("A device that was chosen, and then not, is chosen again by the user, and pairs")
    func chosenAgain() throws {
        var simulation = try PairingSimulation([.quick, .neverAnswers, .quick, .neverAnswers])
        simulation.sides[0].wanted = "device2"
        simulation.sides[2].wanted = "device0"
        simulation.meet(0, 2)
        // So that the third device asks its user, and answers only after the first one has reconsidered.
        simulation.meet(2, 3)
        simulation.meet(0, 1, in: .milliseconds(1535))
        simulation.run(until: .seconds(20))
        #expect(simulation.sides[0].offers == [["device1", "device2"]])
        #expect(simulation.sides[0].trusted == [simulation.sides[2].id])
        #expect(simulation.sides[2].trusted == [simulation.sides[0].id])
    }

    /// When a further device introduces itself to a device that has chosen another one by itself, around the moment at
    /// which that one chooses it, too; and which of the two dials.
    static let crossings = stride(from: 0, to: 120, by: 3).flatMap { time in [(time, 0, 2), (time, 2, 0)] }

    @Test(
        "A withdrawn choice that crosses the answer to it ends in a pairing with one of the two, and without an error"
    )
    func crossing() async throws {
        var partners: Set<String> = []
        for (time, chooser, chosen) in Self.crossings {
            await Task.yield()
            var simulation = try PairingSimulation([.quick, .quick, .quick, .neverAnswers])
            simulation.sides[chooser].wanted = "device1"
            simulation.sides[1].wanted = "device\(chooser)"
            simulation.sides[chosen].wanted = "device\(chooser)"
            simulation.meet(chooser, chosen)
            simulation.meet(chosen, 3)
            simulation.meet(chooser, 1, in: .milliseconds(1440 + time))
            simulation.run(until: .seconds(15))
            let trusted = simulation.sides[chooser].trusted
            #expect(simulation.sides[chooser].digits.count == 1, "\(time) ms")
            #expect(trusted.count == 1, "\(time) ms")
            for side in [1, chosen] {
                let isPaired = trusted == [simulation.sides[side].id]
                #expect(
                    simulation.sides[side].trusted == (isPaired ? [simulation.sides[chooser].id] : []),
                    "\(time) ms"
                )
                if isPaired { partners.insert("\(chooser) with \(side)") }
            }
            for side in simulation.sides {
                #expect(!side.sentence.contains("error"), "\(time) ms: \(side.sentence)")
                // A user is told that a device has gone or has chosen another one, and of nothing else.
                let others = side.retractions.filter { !$0.contains("pairing") || $0.contains("error") }
                #expect(others.isEmpty, "\(time) ms: \(others)")
            }
        }
        #expect(partners == ["0 with 1", "0 with 2", "2 with 0", "2 with 1"])
    }

    @Test("A choice of the user stays when another device introduces itself")
    func chosenByUser() throws {
        var simulation = try PairingSimulation([.quick, .quick, .neverAnswers, .quick])
        simulation.sides[0].wanted = "device1"
        for (one, other) in [(0, 1), (0, 2), (1, 2)] { simulation.meet(one, other) }
        simulation.meet(0, 3, in: .seconds(4))
        simulation.run(until: .seconds(20))
        #expect(simulation.sides[0].offers == [["device1", "device2"]])
        #expect(simulation.sides[3].digits.isEmpty && simulation.noDeviceTrusts)
        while simulation.step() {}
        #expect(simulation.sides[3].sentence.contains("was found, and another device was chosen there"))
        #expect(simulation.sides[0].sentence.contains("was not chosen on device1 in time"))
    }

    @Test("Digits are shown for the chosen device only, and on both sides only when both have chosen")
    func onlyChosen() throws {
        var simulation = try PairingSimulation([.quick, .quick, .quick])
        simulation.sides[0].wanted = "device1"
        simulation.run()
        // No user chooses on the two others, which see two devices each.
        #expect(simulation.noDeviceTrusts && simulation.noDigits)
    }

    @Test("A third device that joins late changes nothing for the other two")
    func bargingIn() throws {
        var simulation = try PairingSimulation([.slow, .slow, .quick])
        for (listener, speaker) in [(0, 1), (1, 0)] {
            simulation.handle(.heard(simulation.sides[speaker].machine.token), at: listener)
        }
        while simulation.sides[0].digits.isEmpty || simulation.sides[1].digits.isEmpty { _ = simulation.step() }
        for speaker in 0...1 { simulation.handle(.heard(simulation.sides[speaker].machine.token), at: 2) }
        while simulation.step() {}
        #expect(simulation.sides[0].outcome?.word == "paired" && simulation.sides[1].outcome?.word == "paired")
        #expect(simulation.sides[2].outcome?.word == "notPaired" && simulation.sides[2].digits.isEmpty)
    }
}

extension PairingSimulation.Side {
    /// The message for the user at the end, unless the pairing has succeeded.
    var sentence: String {
        switch outcome {
        case .notPaired(let error), .unconfirmed(_, let error): error.message
        case .paired, nil: ""
        }
    }
}
