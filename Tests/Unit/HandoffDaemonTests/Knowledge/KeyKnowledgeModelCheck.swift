import HandoffCore
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffDaemon

/// What devices know of each other's keys, after any loss of knowledge (Docs/Circle.md, "Why it holds").
@Suite("Devices that meet hear each other, whatever one of them has lost", .endsWithin(minutes: 10))
struct KeyKnowledgeModelCheck {
    /// Two devices that stay, and one that may be removed; in random histories one more, which joins.
    private enum Who { static let laptop = 0, desktop = 1, box = 2, phone = 3 }

    /// A history: the devices, and the copies of their files that somebody has made.
    private struct History {
        var world: KeyWorld
        var copies: [CircleFile.Contents]
        /// The time that passes after each event.
        let pause: Duration

        init(_ world: KeyWorld, pause: Duration) {
            (self.world, self.pause) = (world, pause)
            copies = world.devices.map(\.file)
        }

        /// Two devices are near each other for a while, and both offer something.
        mutating func meet(_ devices: Set<Int>, for time: Duration = .seconds(60)) throws {
            world.near = devices
            try world.offer(devices)
            try world.run(for: time)
            world.near = []
            try world.offer([])
            try world.run(for: .seconds(35))
        }

        /// A new device is paired with one of the others.
        mutating func join(_ device: Int, _ one: Int) throws {
            try world.add(UInt8(device))
            try world.pair(device, one)
            copies.append(world.devices[device].file)
        }

        mutating func restore(_ device: Int) throws {
            world.devices[device] = try world.devices[device].restarted(with: copies[device], at: world.now)
        }

        mutating func restart(_ device: Int) throws {
            world.devices[device] = try world.devices[device].restarted(at: world.now)
        }
    }

    private typealias Event = (name: String, happen: @Sendable (inout History) throws -> Void)

    private static let day: Int64 = 86_400
    /// Of two, there are 290 histories; of three, 4642, which take minutes.
    private static let maximumEvents = 2

    /// What may happen to the two that stay, in any order.
    private static let events: [Event] = {
        var events: [Event] = [
            ("both meet", { try $0.meet([Who.laptop, Who.desktop]) }),
            ("the laptop meets the box", { try $0.meet([Who.laptop, Who.box]) }),
            ("an hour passes", { try $0.world.run(for: .seconds(4000)) }),
        ]
        for one in [Who.laptop, Who.desktop] {
            let more: [Event] = [
                ("\(one) removes the box", { try $0.world.remove(Who.box, on: one) }),
                ("\(one) is restored", { try $0.restore(one) }),
                ("\(one) starts again", { try $0.restart(one) }),
                ("the file of \(one) is copied", { $0.copies[one] = $0.world.devices[one].file }),
                ("the clock of \(one) is a day behind", { try $0.world.setClock(of: one, ahead: -day) }),
                ("the clock of \(one) is a day ahead", { try $0.world.setClock(of: one, ahead: day) }),
                ("the clock of \(one) is right", { try $0.world.setClock(of: one, ahead: 0) }),
            ]
            events += more
        }
        return events
    }()

    /// Lets the two meet, after their clocks were put right, and returns how long it takes until each lists what the other
    /// one offers; throws when a rule is broken.
    private static func end(_ history: History, _ what: String, offering: Set<Int>) throws -> Duration {
        var world = history.world
        let honest: Set = [Who.laptop, Who.desktop]
        for device in world.devices.indices { try world.setClock(of: device, ahead: 0) }
        try world.run(for: .seconds(10))
        world.near = Set(world.devices.indices)
        try world.offer(offering.union([Who.box]))
        for device in honest { try world.devices[device].arrive(at: world.now) }
        let time = try world.run(for: .seconds(120)) { $0.everyoneHears(offering, among: honest) }
        let heard = try #require(time, "\(what): with offers of \(offering), one does not hear the other")
        try world.run(for: .seconds(5))
        try #require(world.brokenSecret == nil, "\(what): \(world.brokenSecret ?? "")")
        let isRemoved = honest.map { !world.devices[$0].trusts(world.devices[Who.box]) }
        try #require(isRemoved[0] == isRemoved[1], "\(what): only one knows of the removal")
        return heard
    }

    @Test("After every history of two events, within a minute, and without a key for a removed one")
    func exhaustive() throws {
        var (count, slowest) = (0, Duration.zero)
        func explore(_ history: History, _ names: [String]) throws {
            let what = names.joined(separator: ", ")
            try #require(history.world.brokenSecret == nil, "\(what): \(history.world.brokenSecret ?? "")")
            for offering in [[Who.laptop, Who.desktop], [Who.laptop], [Who.desktop]] as [Set<Int>] {
                slowest = max(slowest, try Self.end(history, what, offering: offering))
                count += 1
            }
            guard names.count < Self.maximumEvents else { return }
            for event in Self.events where event.name != names.last {
                var next = history
                try event.happen(&next)
                try next.world.run(for: history.pause)
                try explore(next, names + [event.name])
            }
        }
        try explore(History(try KeyWorld(3), pause: .seconds(8)), [])
        let events = "histories of up to \(Self.maximumEvents) events"
        print("keys: \(count) meetings after \(events); the longest took \(slowest)")
        #expect(slowest <= .seconds(60))
    }

    @Test(
        "After random histories of 20 events, with a device that joins and exchanges that are cut off",
        arguments: 0..<30
    )
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var history = History(try KeyWorld(3), pause: .seconds(8))
        var names: [String] = []
        for _ in 0..<20 {
            history.world.messages = Int.random(in: 0...5, using: &random)
            let one = Int.random(in: 0..<2, using: &random)
            let event: Event =
                switch Int.random(in: 0..<10, using: &random) {
                case 0 where history.world.devices.count == 3:
                    ("the phone joins \(one)", { try $0.join(Who.phone, one) })
                case 1:
                    (
                        "the clock of \(one) is wrong",
                        { [ahead = Self.offset(&random)] history in
                            try history.world.setClock(of: one, ahead: ahead)
                        }
                    )
                case 2: ("everyone meets", { try $0.meet(Set($0.world.devices.indices)) })
                default: Self.events.randomElement(using: &random)!
                }
            try event.happen(&history)
            names.append(event.name)
            try history.world.run(for: .seconds(Int64.random(in: 1...600, using: &random)))
            let what = "seed \(seed): \(names.joined(separator: ", "))"
            try #require(history.world.brokenSecret == nil, "\(what): \(history.world.brokenSecret ?? "")")
        }
        history.world.messages = 3
        for offering in [[Who.laptop, Who.desktop], [Who.laptop], [Who.desktop]] as [Set<Int>] {
            let took = try Self.end(history, "seed \(seed): \(names.joined(separator: ", "))", offering: offering)
            #expect(took <= .seconds(100), "seed \(seed)")
        }
    }

    /// How far a clock may be wrong, in seconds.
    private static func offset(_ random: inout SeededRandom) -> Int64 {
        [-1, 1].randomElement(using: &random)! * [1800, 7200, day / 2, day, 3 * day, 400 * day, 5000 * day]
            .randomElement(using: &random)!
    }
}
