@testable import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("Two devices that pair", .endsWithin(minutes: 10))
struct PairingMachineTests {
    private static func run(_ first: PairingAir.Person, _ second: PairingAir.Person) throws -> PairingAir {
        var air = try PairingAir([first, second])
        air.run()
        return air
    }

    @Test("both show the same six digits, and with two yeses both trust each other")
    func paired() throws {
        let air = try Self.run(.quick, .slow)
        #expect(air.outcomes == ["paired", "paired"])
        #expect(air.sides[0].digits == air.sides[1].digits && air.sides[0].digits.count == 1)
        #expect(air.sides[0].trusted == [air.sides[1].id] && air.sides[1].trusted == [air.sides[0].id])
        #expect(air.isSettled && air.isOver)
        #expect(air.time < .seconds(15))
    }

    @Test("a no of either side ends it on both, with a sentence for each", arguments: [0, 1])
    func declined(_ decliner: Int) throws {
        let air = try Self.run(decliner == 0 ? .declines : .quick, decliner == 1 ? .declines : .quick)
        #expect(air.outcomes == ["notPaired", "notPaired"])
        #expect(air.nobodyTrusts)
        #expect(air.sides[decliner].sentence.contains("You said that the digits differ"))
        #expect(air.sides[1 - decliner].sentence.contains("Somebody said on device\(decliner)"))
        #expect(air.isSettled)
    }

    @Test("nobody answering on one side ends it on both after a minute", arguments: [0, 1])
    func tooSlow(_ sleeper: Int) throws {
        let air = try Self.run(sleeper == 0 ? .sleeps : .quick, sleeper == 1 ? .sleeps : .quick)
        #expect(air.outcomes == ["notPaired", "notPaired"])
        #expect(air.time >= PairingExchange.comparisonLimit && air.time < .seconds(75))
    }

    @Test("who takes its yes back in time is not paired, on both sides", arguments: [0, 1])
    func withdrawn(_ repenting: Int) throws {
        let air = try Self.run(repenting == 0 ? .repents : .slow, repenting == 1 ? .repents : .slow)
        #expect(air.outcomes == ["notPaired", "notPaired"])
        #expect(air.sides[repenting].sentence.contains("You have stopped"))
    }

    @Test("who takes it back too late is paired, on both sides")
    func withdrawnTooLate() throws {
        let air = try Self.run(.repents, .quick)
        #expect(Set(air.outcomes).count == 1)
        #expect(air.sides[0].trusted.isEmpty == air.sides[1].trusted.isEmpty)
    }

    @Test("a device alone finds nobody in two minutes, and says so")
    func alone() throws {
        var air = try PairingAir([.quick])
        air.run()
        #expect(air.sides[0].outcome?.word == "notPaired")
        #expect(air.sides[0].sentence.contains("No other device"))
        #expect(air.time == PairingMachine.searchLimit)
    }

    @Test("the device that should be dialled dials when the other one does not hear it")
    func swapped() throws {
        var air = try PairingAir([.quick, .quick])
        air.handle(.heard(air.sides[1].machine.token), at: 0)
        while air.step() {}
        #expect(air.outcomes == ["paired", "paired"])
    }

    /// So many things happen before both show digits, and no more.
    private static let stepsToDigits = 14

    @Test("stopping ends it on both sides, wherever it has come to", arguments: 0...stepsToDigits, [0, 1])
    func cancelled(_ steps: Int, _ canceller: Int) throws {
        var air = try PairingAir([.sleeps, .sleeps])
        air.hearAll()
        for _ in 0..<steps { _ = air.step() }
        #expect(air.sides.allSatisfy { !$0.digits.isEmpty } == (steps == Self.stepsToDigits))
        air.handle(.cancelled, at: canceller)
        while air.step() {}
        #expect(air.outcomes == ["notPaired", "notPaired"])
        #expect(air.nobodyTrusts)
        #expect(air.sides[canceller].sentence.contains("You have stopped"))
    }

    @Test("a radio that goes ends it with its reason, or leaves it unconfirmed", arguments: 0..<16)
    func radioGone(_ step: Int) throws {
        var air = try PairingAir([.slow, .quick])
        air.hearAll()
        for _ in 0..<(2 * step) { _ = air.step() }
        air.handle(.radioFailed(HandoffError(.radioUnavailable, "switched off")), at: 1)
        while air.step() {}
        #expect(air.sides[1].outcome != nil)
        #expect(air.sides[1].machine.isOver)
    }

    /// What one device cannot write down, and when its person says yes.
    struct Disk: Sendable, CustomTestStringConvertible {
        let side: Int
        let standing: PairingRecord.Standing
        let person: PairingAir.Person

        var testDescription: String { "device\(side) \(standing) \(person)" }

        static let full = [0, 1].flatMap { side in
            [PairingRecord.Standing.notPaired, .unconfirmed].flatMap { standing in
                // The slow one has the other side's yes by then.
                [PairingAir.Person.quick, .slow].map { Disk(side: side, standing: standing, person: $0) }
            }
        }
    }

    @Test("what cannot be written down is not confirmed, and both are told at once why", arguments: Disk.full)
    func unwritable(_ disk: Disk) throws {
        var air = try PairingAir(disk.side == 0 ? [disk.person, .quick] : [.quick, disk.person])
        air.sides[disk.side].failingStanding = disk.standing
        air.run()
        #expect(air.outcomes == ["notPaired", "notPaired"])
        #expect(air.nobodyTrusts && air.nothingUnconfirmed && air.isOver)
        #expect(air.sides[disk.side].sentence == "full")
        #expect(air.sides[1 - disk.side].sentence.contains("device\(disk.side) has ended the pairing"))
        #expect(air.time < .seconds(15))
    }

    @Test("who cannot trust says that nothing is certain, and the other side is told nothing wrong")
    func untrustable() throws {
        var air = try PairingAir([.quick, .quick])
        air.sides[0].trustFails = true
        air.run()
        #expect(air.sides[0].outcome?.word == "unconfirmed")
        #expect(air.sides[1].outcome?.word == "paired")
        try air.settle(from: 0, to: 1)
        #expect(air.sides[0].trusted == [air.sides[1].id])
    }

    @Test("who has lost the channel tries again, but not when the other side has said yes and waits for an answer")
    func abandoned() throws {
        var air = try PairingAir([.slow, .quick])
        // The yes of the quick one.
        air.fault = (8, .lost)
        air.hearAll()
        while air.sides[0].abandoned.isEmpty, air.step() {}
        let abandoned = try #require(air.sides[0].abandoned.first)
        let unknown = try #require(PairingID(bytes: Array(repeating: 0, count: PairingID.byteCount)))
        air.handle(.settled(unknown), at: 0)
        #expect(air.outcomes == ["-", "unconfirmed"])
        try air.settle(from: 0, to: 1)
        air.handle(.settled(abandoned), at: 0)
        #expect(air.sides[0].sentence.contains("was lost, and nothing was paired"))
        while air.step() {}
        #expect(air.nothingUnconfirmed && air.nobodyTrusts && air.time < .seconds(15))
    }

    @Test("its own echo is nobody to pair with")
    func echo() throws {
        var air = try PairingAir([.quick])
        air.handle(.heard(air.sides[0].machine.token), at: 0)
        while air.step() {}
        #expect(air.sides[0].machine.isOver && air.messageCount == 0)
    }
}

@Suite("Several devices that pair in one room", .endsWithin(minutes: 10))
struct PairingCrowdTests {
    @Test("they are offered by name, and those not chosen are told so")
    func offered() throws {
        var air = try PairingAir([.quick, .quick, .sleeps])
        air.sides[0].wanted = "device1"
        air.sides[1].wanted = "device0"
        air.run()
        #expect(air.sides[0].offers.first == ["device1", "device2"])
        #expect(air.sides[0].outcome?.word == "paired" && air.sides[1].outcome?.word == "paired")
        #expect(air.sides[0].trusted == [air.sides[1].id] && air.sides[1].trusted == [air.sides[0].id])
        #expect(air.sides[2].digits.isEmpty && air.sides[2].trusted.isEmpty)
        #expect(air.sides[2].outcome?.word == "notPaired")
        #expect(air.sides[2].sentence.contains("was found, and another device was chosen there"))
    }

    @Test("a device whose channel takes long is waited for and offered, up to a limit", arguments: [3, 30])
    func slowChannel(_ seconds: Int) throws {
        var air = try PairingAir([.quick, .quick, .sleeps])
        air.sides[0].wanted = "device1"
        air.sides[1].wanted = "device0"
        air.sides[2].opening = .seconds(seconds)
        air.hearAll()
        while air.sides[0].outcome == nil || air.sides[1].outcome == nil, air.step() {}
        #expect(air.sides[0].outcome?.word == "paired" && air.sides[1].outcome?.word == "paired")
        #expect(air.sides[0].offers == (seconds == 3 ? [["device1", "device2"]] : []))
        #expect(air.time < PairingMachine.longestGathering + .seconds(1))
    }

    @Test("who comes back after its channel was lost is not chosen before others had time to say who they are")
    func gatheredAnew() throws {
        var air = try PairingAir([.quick, .quick, .sleeps])
        for (listener, speaker) in [(0, 1), (1, 0)] {
            air.handle(.heard(air.sides[speaker].machine.token), at: listener)
        }
        while air.sides[0].machine.candidates.isEmpty || air.sides[1].machine.candidates.isEmpty, air.step() {}
        for side in 0...1 {
            for channel in air.sides[side].channels.keys { air.handle(.closed(channel), at: side) }
        }
        // The first channel to open again is the one that was lost.
        while air.sides[0].machine.candidates.isEmpty, air.step() {}
        #expect(air.time >= PairingMachine.pause)
        for listener in 0...1 { air.handle(.heard(air.sides[2].machine.token), at: listener) }
        for speaker in 0...1 { air.handle(.heard(air.sides[speaker].machine.token), at: 2) }
        while air.sides[0].offers.isEmpty, air.sides[0].outcome == nil, air.step() {}
        #expect(air.sides[0].offers == [["device1", "device2"]])
    }

    @Test("digits are shown for the chosen device only, and on both sides only when both have chosen")
    func onlyChosen() throws {
        var air = try PairingAir([.quick, .quick, .quick])
        air.sides[0].wanted = "device1"
        air.run()
        // Nobody chooses on the two others, which see two devices each.
        #expect(air.nobodyTrusts && air.noDigits)
    }

    @Test("a third one that comes in late changes nothing for the two")
    func bargingIn() throws {
        var air = try PairingAir([.slow, .slow, .quick])
        for (listener, speaker) in [(0, 1), (1, 0)] {
            air.handle(.heard(air.sides[speaker].machine.token), at: listener)
        }
        while air.sides[0].digits.isEmpty || air.sides[1].digits.isEmpty { _ = air.step() }
        for speaker in 0...1 { air.handle(.heard(air.sides[speaker].machine.token), at: 2) }
        while air.step() {}
        #expect(air.sides[0].outcome?.word == "paired" && air.sides[1].outcome?.word == "paired")
        #expect(air.sides[2].outcome?.word == "notPaired" && air.sides[2].digits.isEmpty)
    }
}

extension PairingAir.Side {
    /// What the person is told at the end, if it is not a success.
    var sentence: String {
        switch outcome {
        case .notPaired(let error), .unconfirmed(_, let error): error.message
        case .paired, nil: ""
        }
    }
}
