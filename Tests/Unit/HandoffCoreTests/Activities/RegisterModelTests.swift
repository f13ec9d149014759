import HandoffCore
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Exactly one activity is current: the one that the rule determines", .endsWithin(minutes: 10))
struct RegisterModelTests {
    /// The rule in its simplest form: of the activities that asked and did not resign, the last that may be offered.
    struct Model {
        struct Entry {
            let id: ActivityRegister.ID
            let owner: Client
            var isEligible = true
            var end: Double?
            /// The time at which it asked to be current, as a number that grows.
            var asked: Int?
        }

        var entries: [Entry] = []
        private var clock = 0

        mutating func change(_ id: ActivityRegister.ID, _ body: (inout Entry) -> Void) {
            for index in entries.indices where entries[index].id == id { body(&entries[index]) }
        }

        mutating func ask(_ id: ActivityRegister.ID) {
            clock += 1
            let time = clock
            change(id) { $0.asked = time }
        }

        func current(at now: Double) -> ActivityRegister.ID? {
            entries.filter { $0.isEligible && $0.asked != nil && $0.end.map { $0 > now } ?? true }
                .max { ($0.asked ?? 0) < ($1.asked ?? 0) }?.id
        }
    }

    private struct Run {
        var random: SeededRandom
        var register = ActivityRegister()
        var model = Model()
        var now = 0.0

        mutating func step() throws {
            now += [0, 0, 0.5, 3].randomElement(using: &random) ?? 0
            let owner: Client = [":1.1", ":1.2", ":1.3"].randomElement(using: &random) ?? ""
            // Sometimes an id that was never assigned, or no longer exists.
            let id = ActivityID(rawValue: .random(in: 1...(UInt64(model.entries.count) + 8), using: &random))
            switch Int.random(in: 0..<12, using: &random) {
            case 0...1: try create(owner)
            case 2...5: act(id, { $0.becomeCurrent(id) }) { $0.ask(id) }
            case 6...7: act(id, { $0.resignCurrent(id) }) { $0.change(id) { $0.asked = nil } }
            case 8: act(id, { $0.invalidate(id) }) { model in model.entries.removeAll { $0.id == id } }
            case 9: try setEligible(id, .random(using: &random))
            case 10: try setEnd(id)
            default:
                act(id, { _ = $0.removeAll(ownedBy: owner) }) { model in
                    model.entries.removeAll { $0.owner == owner }
                }
            }
            register.expire(at: .start(now))
        }

        private mutating func create(_ owner: Client) throws {
            let record = try register.insert(.sample(), owner: owner, isEligible: true)
            model.entries.append(Model.Entry(id: record.id, owner: owner))
        }

        private mutating func act(
            _ id: ActivityRegister.ID,
            _ body: (inout ActivityRegister) throws -> Void,
            _ expected: (inout Model) -> Void
        ) rethrows {
            try body(&register)
            expected(&model)
        }

        private mutating func setEligible(_ id: ActivityRegister.ID, _ isEligible: Bool) throws {
            try act(id, { try $0.update(id) { $0.isEligible = isEligible } }) { model in
                model.change(id) { $0.isEligible = isEligible }
            }
        }

        private mutating func setEnd(_ id: ActivityRegister.ID) throws {
            let end = Bool.random(using: &random) ? nil : now + Double.random(in: 0...5, using: &random).rounded()
            let activity = try Activity.sample().with { $0.expiration = end.flatMap { try? Self.date($0) } }
            try act(id, { try $0.update(id) { $0.activity = activity } }) { $0.change(id) { $0.end = end } }
        }

        private static func date(_ seconds: Double) throws -> Timestamp {
            let moment = Moment.start(seconds).unixMicroseconds
            return try Timestamp(seconds: moment / 1_000_000, nanoseconds: UInt32(moment % 1_000_000) * 1000)
        }
    }

    @Test("After any history of several apps, the register agrees with the simplest form of the rule")
    func anyHistory() throws {
        for seed in UInt64(0)..<400 {
            var run = Run(random: SeededRandom(seed: seed))
            for step in 0..<120 {
                try run.step()
                #expect(run.register.current?.id == run.model.current(at: run.now), "seed \(seed), step \(step)")
                #expect(run.register.owners == Set(run.model.entries.map(\.owner)), "seed \(seed), step \(step)")
            }
        }
    }
}
