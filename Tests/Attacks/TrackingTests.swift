import Bluetooth
import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("No advertisement links a device from one slot to the next", .endsWithin(minutes: 10))
struct TrackingTests {
    private static let devices = 400
    private static let rotations = 3

    /// The advertisements around each change of address: one of each device in each slot.
    private struct Trace {
        var published: [[[UInt8]]] = []
        var ours: [[[UInt8]]] = []

        init(using random: inout SeededRandom) throws {
            var subjects = try SimulatedSender.population(TrackingTests.devices, using: &random)
            for rotation in 0...TrackingTests.rotations {
                var (published, ours): ([[UInt8]], [[UInt8]]) = ([], [])
                for index in subjects.indices {
                    let payload = try AdvertisementPayload.random(using: &random)
                    published.append(try subjects[index].published.advertise(random.bytes(10)).bytes)
                    ours.append(subjects[index].sealed(payload, slot: someSlot + UInt64(rotation)))
                    subjects[index].published.changeAddress(using: &random)
                }
                self.published.append(published)
                self.ours.append(ours)
            }
        }
    }

    /// How well a score separates pairs of advertisements of one device from pairs of two devices.
    ///
    /// Each pair has one advertisement before and one after a change of address.
    private static func area(
        _ trace: [[[UInt8]]],
        _ random: inout SeededRandom,
        _ score: ([UInt8], [UInt8]) -> Double
    ) -> Double {
        var (same, other): ([Double], [Double]) = ([], [])
        for slot in 0..<rotations {
            for device in 0..<devices {
                same.append(score(trace[slot][device], trace[slot + 1][device]))
                for _ in 0..<2 {
                    let different = (device + Int.random(in: 1..<devices, using: &random)) % devices
                    other.append(score(trace[slot][device], trace[slot + 1][different]))
                }
            }
        }
        return Separation.area(of: same, over: other)
    }

    /// Scores that take two neighbouring bytes for an increasing counter, for all pairs and both byte orders.
    private static func counters(_ length: Int) -> [([UInt8], [UInt8]) -> Double] {
        (0..<(length - 1)).flatMap { at in
            [(at, at + 1), (at + 1, at)].map { high, low in
                { before, after in
                    func number(_ bytes: [UInt8]) -> UInt16 { UInt16(bytes[high]) << 8 | UInt16(bytes[low]) }
                    return -Double(number(after) &- number(before))
                }
            }
        }
    }

    @Test("No sequence number links one address to the next")
    func sequenceNumbers() throws {
        var random = SeededRandom(seed: 1)
        let trace = try Trace(using: &random)
        let model = Self.counters(18).map { Self.area(trace.published, &random, $0) }.max() ?? 0
        let here = Self.counters(10).map { Self.area(trace.ours, &random, $0) }.max() ?? 0
        #expect(model > 0.95)
        #expect(here < 0.55)
        measured(.sequenceNumbers, onModel: "AUC \(model.rounded)", here: "AUC \(here.rounded)")
    }

    @Test("No byte of an advertisement stays constant for a device")
    func staticBytes() throws {
        var random = SeededRandom(seed: 4)
        let trace = try Trace(using: &random)
        func best(_ trace: [[[UInt8]]], _ length: Int) -> Double {
            var random = random
            return (0..<length).map { at in
                Self.area(trace, &random) { $0[at] == $1[at] ? 1 : 0 }
            }.max() ?? 0
        }
        let (model, here) = (best(trace.published, 18), best(trace.ours, 10))
        #expect(model > 0.8)
        #expect(here < 0.55)
        measured(.staticBytes, onModel: "AUC \(model.rounded)", here: "AUC \(here.rounded)")
    }

    @Test("Payload and address change together in each slot, and no payload is carried over during a day")
    func carryOver() throws {
        var random = SeededRandom(seed: 2)
        let subject = try SimulatedSender(using: &random)
        var day = Day(key: subject.key)
        try day.pass(using: &random)
        #expect(day.registrations > 200)
        let model = try Self.carriedOverByTwoClocks(using: &random)
        #expect(model > 50)
        #expect(day.carriedOver == 0)
        measured(.carryOver, onModel: "\(model) of 96 address changes bridged", here: "\(day.carriedOver) of 95")
    }

    /// The number of address changes that payloads outlive in a day if payload and address change independently.
    ///
    /// The address changes every quarter of an hour, and the payload whenever the activity does.
    private static func carriedOverByTwoClocks(using random: inout SeededRandom) throws -> Int {
        let changes = (0..<200).map { _ in Int.random(in: 0..<86_400, using: &random) }
        // The payload in the second before a change of address is also the payload in the second after it.
        return (1...96).count { slot in !changes.contains(slot * 900) }
    }
}

/// The advertisements of an origin during a day of virtual time, each of which is registered with a new address.
private struct Day {
    let key: AdvertisingKey
    private(set) var registrations = 0
    /// The number of changes of slot that a payload has outlived.
    private(set) var carriedOver = 0

    private enum App: ActivityOwner {
        case only

        typealias Delegate = Never
    }

    private var origin = Origin<App>(streamTokenKey: .generate())
    private var onAir: (broadcast: AdvertisementPacer.Broadcast, data: [UInt8])?
    private var payloads: [[UInt8]: UInt64] = [:]

    init(key: AdvertisingKey) {
        self.key = key
    }

    /// Makes one of two activities current, or none, about 200 times.
    mutating func pass(using random: inout SeededRandom) throws {
        var now = Moment(uptime: .seconds(1000), unixMicroseconds: Int64(someSlot) * 900_000_000)
        let end = now.advanced(by: .seconds(86_400))
        let ids = try ["edit", "draw"].map { name in
            let activity = try Activity(type: ActivityType("org.example.\(name)"))
            return try origin.create(activity, owner: .only, isEligible: true).id
        }
        var nextChange = now
        while now.uptime < end.uptime {
            if nextChange.uptime <= now.uptime {
                let id = ids[Int.random(in: 0...1, using: &random)]
                if Int.random(in: 0..<4, using: &random) > 0 {
                    try origin.becomeCurrent(id, by: .only, at: now)
                } else {
                    try origin.resignCurrent(id, by: .only, at: now)
                }
                nextChange = now.advanced(by: .seconds(.random(in: 1...800, using: &random)))
            }
            let (broadcast, next) = origin.advance(to: now, by: SlotSchedule(key: .constant(key)))
            try take(broadcast)
            let wake = [next, nextChange.uptime].compactMap(\.self).min() ?? nextChange.uptime
            now = now.advanced(by: max(.milliseconds(1), wake - now.uptime))
        }
    }

    private mutating func take(_ broadcast: AdvertisementPacer.Broadcast?) throws {
        guard let broadcast, broadcast != onAir?.broadcast else {
            if broadcast == nil { onAir = nil }
            return
        }
        let payload = AdvertisementPayload(broadcast, port: LEPSM(lowFiveBits: 0x10))
        let data = AdvertisementSealer(key: key, slot: broadcast.slot).seal(payload.encode())
        registrations += 1
        if let slot = payloads[data], slot != broadcast.slot { carriedOver += 1 }
        payloads[data] = broadcast.slot
        onAir = (broadcast, data)
    }
}
