import Foundation
import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("No timing links a device from one slot to the next", .endsWithin(minutes: 10))
struct TimingTests {
    private static let devices = 300
    private static let slots = 4

    /// An observer sees for each device and slot these numbers, in the order of the slots.
    private typealias Observation = [[[Double]]]

    /// A number with a normal distribution, by the method of Box and Muller.
    private static func normal(_ deviation: Double, _ random: inout SeededRandom) -> Double {
        let (first, second) = (
            Double.random(in: 0.000_001..<1, using: &random), Double.random(in: 0..<1, using: &random)
        )
        return deviation * (-2 * log(first)).squareRoot() * cos(2 * .pi * second)
    }

    /// How well the best of some distances between what is seen in one slot and in the next tells pairs of one device
    /// from pairs of two.
    private static func area(
        _ seen: Observation,
        _ random: inout SeededRandom,
        _ distances: [([Double], [Double]) -> Double]
    ) -> Double {
        distances.map { distance in
            var (same, other): ([Double], [Double]) = ([], [])
            for device in seen.indices {
                for slot in 0..<slots - 1 {
                    same.append(-distance(seen[device][slot], seen[device][slot + 1]))
                    let different = (device + Int.random(in: 1..<seen.count, using: &random)) % seen.count
                    other.append(-distance(seen[device][slot], seen[different][slot + 1]))
                }
            }
            return Separation.area(of: same, over: other)
        }
        .max() ?? 0
    }

    private static func content() throws -> AdvertisementPacer.Content {
        let type = try ActivityType("org.example.edit").hash
        return .activity(OfferedActivity(id: 1, typeHash: type), hasWebpage: false)
    }

    /// When a device whose clock is that many seconds ahead changes to each of the slots, in seconds after the border.
    private static func changes(clockAhead error: Double, by schedule: SlotSchedule) throws -> [Double] {
        let start = Double(someSlot) * 900 - 10
        func moment(_ seconds: Double) -> Moment {
            let microseconds = Int64((seconds * 1_000_000).rounded())
            return Moment(
                uptime: .microseconds(microseconds),
                unixMicroseconds: microseconds + Int64((error * 1_000_000).rounded())
            )
        }
        var (pacer, now, changes): (AdvertisementPacer, Double, [Double]) = (AdvertisementPacer(), start, [])
        pacer.request(try content())
        var slot: UInt64?
        while changes.count < slots {
            let (broadcast, next) = pacer.advance(to: moment(now), by: schedule)
            if let slot, let new = broadcast?.slot, new > slot { changes.append(now - Double(new) * 900) }
            slot = broadcast?.slot
            now = try #require(next) / .seconds(1)
        }
        return changes
    }

    /// How well the moments of change link the slots of devices whose clocks differ by that many seconds: at the border,
    /// and at drawn times.
    private static func areas(
        clockSpread: Double,
        _ random: inout SeededRandom
    ) throws -> (model: Double, here: Double) {
        var (old, new): (Observation, Observation) = ([], [])
        for _ in 0..<devices {
            let error = normal(clockSpread, &random)
            let key = SealingKey.constant(try AdvertisingKey(rawRepresentation: random.bytes(AdvertisingKey.byteCount)))
            // The radio adds 20 ms.
            let fixed = try changes(clockAhead: error, by: .atBorder)
            let drawn = try changes(clockAhead: error, by: SlotSchedule(key: key))
            old.append(fixed.map { [$0 + normal(0.02, &random)] })
            new.append(drawn.map { [$0 + normal(0.02, &random)] })
        }
        let distance: ([Double], [Double]) -> Double = { abs($0[0] - $1[0]) }
        return (area(old, &random, [distance]), area(new, &random, [distance]))
    }

    @Test("The moment at which a device changes to the next slot does not show whose clock it is")
    func slotChange() throws {
        var random = SeededRandom(seed: 32)
        // Clocks that are set over the internet, and those of computers that have just woken up.
        let synchronized = try Self.areas(clockSpread: 0.03, &random)
        let awakened = try Self.areas(clockSpread: 0.2, &random)
        let here = max(synchronized.here, awakened.here)
        #expect(synchronized.model > 0.6)
        #expect(awakened.model > 0.9)
        #expect(here < 0.55)
        measured(
            .slotChangeTiming,
            onModel: "AUC \(synchronized.model.rounded); \(awakened.model.rounded) after a wake-up",
            here: "AUC \(here.rounded)"
        )
    }

    /// When the turns of a device with a member that has been away for hours begin in each of the slots, in seconds.
    private static func turns(of key: SealingKey, for member: DeviceID) throws -> [[Double]] {
        var (pacer, schedule) = (AdvertisementPacer(), DirectedAdvertisingSchedule())
        pacer.request(try content())
        let (start, settled) = (Double(someSlot) * 900, Double(someSlot + 10) * 900)
        var (now, last): (Double, DeviceID?) = (start, nil)
        var turns: [[Double]] = Array(repeating: [], count: slots)
        while now < settled + Double(slots) * 900 {
            let microseconds = Int64((now * 1_000_000).rounded())
            let moment = Moment(uptime: .microseconds(microseconds), unixMicroseconds: microseconds)
            let (broadcast, next) = pacer.advance(to: moment, by: SlotSchedule(key: key))
            let turn = schedule.advance(
                to: moment.uptime,
                advertising: broadcast,
                under: key,
                circleDigest: [1],
                for: [member]
            )
            if turn.member != nil, last == nil, now >= settled { turns[Int((now - settled) / 900)].append(now) }
            last = turn.member
            now = try #require([next, turn.next].compactMap(\.self).min()) / .seconds(1)
        }
        return turns
    }

    @Test("The rhythm of turns in a slot does not show whose member is away")
    func rhythmOfTurns() throws {
        var random = SeededRandom(seed: 33)
        let member = try DeviceID("1111111111111111")
        let settled = Double(someSlot + 10) * 900
        var (old, new): (Observation, Observation) = ([], [])
        for _ in 0..<Self.devices {
            let fixed = FixedTurns(start: settled - .random(in: 0..<FixedTurns.period, using: &random))
            let key = SealingKey.constant(try AdvertisingKey(rawRepresentation: random.bytes(AdvertisingKey.byteCount)))
            // A turn is noticed by its first advertisement.
            func seen(_ turns: [Double]) -> [Double] { turns.map { $0 + .random(in: 0..<0.4175, using: &random) } }
            old.append(
                (0..<Self.slots).map { slot in
                    seen(fixed.beginnings(from: settled + Double(slot) * 900, to: settled + Double(slot + 1) * 900))
                }
            )
            new.append(try Self.turns(of: key, for: member).map(seen))
        }
        let distances: [([Double], [Double]) -> Double] = [
            { before, after in
                guard let last = before.last, let first = after.first else { return FixedTurns.period }
                let phase = (first - last).truncatingRemainder(dividingBy: FixedTurns.period)
                return min(phase, FixedTurns.period - phase)
            },
            { before, after in
                func pauses(_ turns: [Double]) -> Double {
                    zip(turns.dropFirst(), turns).map { $0 - $1 }.reduce(0, +) / Double(max(1, turns.count - 1))
                }
                return abs(pauses(before) - pauses(after))
            },
            { abs(Double($0.count - $1.count)) },
        ]
        let model = Self.area(old, &random, distances)
        let here = Self.area(new, &random, distances)
        #expect(model > 0.9)
        #expect(here < 0.56)
        measured(.turnRhythm, onModel: "AUC \(model.rounded)", here: "AUC \(here.rounded)")
    }
}
