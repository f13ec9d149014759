import Foundation
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCore

/// How long it takes until all members have heard of a removal, by turns alone, in circles of several sizes.
@Suite("The times of a removal that Trust.md states", .endsWithin(minutes: 10))
struct RemovalTimeTests {
    /// How long a scanner in the background takes at most to hear a turn, and its device to call and exchange the circle.
    private static let (scanPeriod, exchange) = (4500, Duration.milliseconds(500))

    /// The rows of the table: the members of the circle, and the seconds in which all that are there know it, usually and
    /// at most.
    private static func stated() throws -> [(members: Int, usually: Int, atMost: Int)] {
        let page = try String(contentsOf: VectorDirectory.root.appending(path: "Docs/Trust.md"), encoding: .utf8)
        return page.split(separator: "\n").compactMap { line in
            let numbers = line.trimmingCharacters(in: .whitespaces).split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            .map { Int($0.replacing(" s", with: "")) }
            guard numbers.count == 3, let members = numbers[0], let usually = numbers[1], let most = numbers[2] else {
                return nil
            }
            return (members, usually, most)
        }
    }

    @Test("The table has the times of the schedule, and nobody waits longer, whoever of the others is away")
    func times() throws {
        let rows = try Self.stated()
        #expect(rows.map(\.members) == [5, 10, 20])
        for (members, usually, atMost) in rows {
            // Neither the device that knows it nor the removed one.
            let others = members - 2
            let times = try (0..<60).map { try Self.seconds(present: others, away: 0, seed: $0) }.sorted()
            let median = times[times.count / 2]
            #expect(abs(median - Double(usually)) < Double(usually) / 10, "\(members) devices: \(median) s")
            let absent = [others / 2, others - 1].flatMap { away in
                (0..<60).map { (others - away, away, UInt64($0)) }
            }
            let all = try times + absent.map { try Self.seconds(present: $0, away: $1, seed: $2) }
            #expect(all.max().map { $0 < Double(atMost) } == true, "\(members) devices: \(all.max() ?? 0) s")
        }
    }

    /// How long it takes until all of the members that are there have heard it, in seconds.
    private static func seconds(present count: Int, away: Int, seed: UInt64) throws -> Double {
        var random = SeededRandom(seed: seed)
        let key = SealingKey.constant(try AdvertisingKey(rawRepresentation: random.bytes(32)))
        let members = try (0..<(count + away)).map { _ in try DeviceID(bytes: random.bytes(8)) }
        var (lagging, missing) = (members.sorted(), Set(members.prefix(count)))
        var (schedule, now) = (DirectedAdvertisingSchedule(), Duration.zero)
        while !missing.isEmpty {
            let broadcast = AdvertisementPacer.Broadcast(content: offered(1), number: .at(1), isFresh: false)
            let (member, next) = schedule.advance(
                to: now,
                advertising: broadcast,
                under: key,
                circleDigest: [1],
                for: lagging
            )
            let heard = now + .milliseconds(Int.random(in: 0..<scanPeriod, using: &random)) + exchange
            if let member, missing.contains(member), heard < (try #require(next)) {
                now = heard
                missing.remove(member)
                lagging.removeAll { $0 == member }
            } else {
                now = try #require(next)
            }
        }
        return now / .seconds(1)
    }
}
