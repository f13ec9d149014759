import HandoffModel
import HandoffRadio
import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCore

@Suite("Vectors of numbered advertisements", .endsWithin(minutes: 10))
struct NumberVectorTests {
    /// What is heard of one device, in this order, or what one shows.
    struct Case: Codable, Equatable, Sendable {
        let what: String
        var heard: [Heard]?
        var shown: [Shown]?
    }

    /// What a device shows from a moment on, and the number that it has then.
    struct Shown: Codable, Equatable, Sendable {
        /// In milliseconds since 1970.
        let at: Int64
        /// A word for the activity; absent for a withdrawal.
        let activity: String?
        /// Absent when the slot has none left.
        var number: UInt16?

        init(_ at: Int64, _ activity: String?) { (self.at, self.activity) = (at, activity) }

        var slot: UInt64 { UInt64(at / 900_000) }
    }

    /// One advertisement, and what a receiver makes of it.
    struct Heard: Codable, Equatable, Sendable {
        /// In milliseconds.
        let at: Int64
        let slot: UInt64
        let number: UInt16
        /// Absent for a withdrawal.
        let typeHash: String?
        var isAccepted = false
        /// Whether it begins another entry than the one that was shown before.
        var isNewEntry = false

        init(_ at: Int64, _ slot: UInt64, _ number: UInt16, _ typeHash: String?) {
            (self.at, self.slot, self.number, self.typeHash) = (at, slot, number, typeHash)
        }
    }

    private static let (edit, draw) = ("01234567", "89abcdef")

    private static let inputs: [Case] = [
        Case(
            what: "back and forth, and a withdrawal",
            heard: [
                Heard(0, 10, 5, edit), Heard(1000, 10, 6, draw), Heard(2000, 10, 7, edit), Heard(3000, 10, 8, nil),
                Heard(4000, 10, 9, edit), Heard(4200, 10, 9, edit),
            ]
        ),
        Case(
            what: "replays of the slot, and of the slot before",
            heard: [
                Heard(0, 10, 400, edit), Heard(1000, 11, 1, draw), Heard(1100, 10, 400, edit),
                Heard(1200, 10, 401, nil),
                Heard(2000, 11, 2, nil), Heard(2100, 11, 1, draw), Heard(2200, 11, 0, edit),
            ]
        ),
        Case(
            what: "what goes on in the next slot, and what does not",
            heard: [
                Heard(0, 10, 400, edit), Heard(1000, 11, 0, edit), Heard(2000, 12, 0, edit), Heard(3000, 14, 0, edit),
                Heard(4000, 15, 1, edit), Heard(5000, 16, 0, draw),
            ]
        ),
        Case(
            what: "the same number with another type, and with none",
            heard: [Heard(0, 10, 5, edit), Heard(100, 10, 5, draw), Heard(200, 10, 5, nil), Heard(300, 10, 6, draw)]
        ),
        Case(
            what: "lower numbers after 30 s without any, and not before",
            heard: [
                Heard(0, 11, 300, edit), Heard(29_999, 11, 4, draw), Heard(30_000, 11, 4, draw),
                Heard(59_999, 10, 7, edit),
                Heard(60_000, 10, 7, edit),
            ]
        ),
        Case(
            what: "the greatest number of a slot, and the next slot",
            heard: [Heard(0, 10, 511, edit), Heard(100, 10, 0, draw), Heard(200, 11, 0, edit), Heard(300, 11, 1, draw)]
        ),
    ]

    /// 100 s after the border of a slot.
    private static let start: Int64 = 9_100_000

    private static let origins: [Case] = [
        Case(
            what: "an origin that starts, and goes on in the next slots",
            shown: [
                Shown(start, "a"), Shown(start + 1000, "a"), Shown(start + 2000, "b"), Shown(start + 3000, nil),
                Shown(start + 200_000, "a"), Shown(9_900_000, "a"), Shown(9_900_999, "b"), Shown(9_903_000, "a"),
                Shown(9_910_000, "b"), Shown(10_800_000, "b"), Shown(12_600_000, "b"), Shown(13_500_001, nil),
            ]
        ),
        Case(
            what: "an origin whose clock is set back within the slot, and to the slot before",
            shown: [
                Shown(start + 600_000, "a"), Shown(start, "b"), Shown(start + 1000, "a"), Shown(start - 200_000, "b"),
            ]
        ),
        Case(
            what: "an origin that has no number left in its slot, until the next one",
            shown: (0...42).map { Shown(9_899_000 + Int64($0), $0.isMultiple(of: 2) ? "a" : "b") } + [
                Shown(9_901_000, "c"), Shown(9_903_000, "d"),
            ]
        ),
    ]

    /// The inputs with what this receiver makes of them.
    private static func make() throws -> [Case] {
        try inputs.map { input in
            var (made, table, all) = (input, NearbyTable(), input.heard ?? [])
            var latest: LatestAdvertisement?
            for (index, heard) in all.enumerated() {
                let before = table.all.first?.id
                let report = NearbyTable.Report(
                    device: try .sample(1),
                    typeHash: try heard.typeHash.map { try ActivityTypeHash(bytes: bytes($0)) },
                    number: .at(heard.number, slot: heard.slot),
                    hasWebpage: false,
                    rssi: nil,
                    address: RadioAddress("\(index)"),
                    port: .sample
                )
                _ = table.insert(report, at: Moment(uptime: .milliseconds(heard.at), unixMicroseconds: 0))
                var next = latest ?? LatestAdvertisement(report.number, report.typeHash, at: .milliseconds(heard.at))
                all[index].isAccepted = next.accepts(report.number, report.typeHash, at: .milliseconds(heard.at))
                latest = next
                all[index].isNewEntry = table.all.first.map { $0.id != before } ?? false
            }
            made.heard = all
            return made
        }
    }

    /// The origins with the numbers that this one gives.
    private static func makeOrigins() -> [Case] {
        origins.map { input in
            var (made, numbers, all) = (input, AdvertisementNumbers(), input.shown ?? [])
            var last: Shown?
            for (index, shown) in all.enumerated() {
                let isSame = last.map { $0.activity == shown.activity && $0.number != nil } ?? false
                if isSame, last?.slot == shown.slot {
                    all[index].number = last?.number
                } else {
                    let now = Moment(uptime: .milliseconds(index), unixMicroseconds: shown.at * 1000)
                    let isContinuing = isSame && last.map { $0.slot + 1 == shown.slot } ?? false
                    let next = numbers.next(for: subject(shown), in: shown.slot, at: now, isContinuing: isContinuing)
                    all[index].number = next?.index
                }
                last = all[index]
            }
            made.shown = all
            return made
        }
    }

    private static func subject(_ shown: Shown) -> OfferedActivity? {
        shown.activity.flatMap { $0.utf8.first }.map {
            OfferedActivity(id: ActivityID(rawValue: UInt64($0)), typeHash: ActivityTypeHash(number: UInt64($0)))
        }
    }

    @Test("The published vectors are what this code makes of them")
    func published() throws {
        let file = VectorFile(
            about: """
                What a receiver accepts of one device (Docs/Protocol.md, "Numbers"), and the numbers that an origin gives. \
                `at` is in milliseconds, for an origin since 1970; `number` is that within the slot, and absent where there \
                is none left; `typeHash` is hexadecimal and absent for a withdrawal, and so is the word for an `activity`; \
                `isNewEntry` says whether another entry than before is shown. What an origin shows twice in one slot, or in \
                two slots in a row, it shows all the time.
                """,
            cases: try Self.make() + Self.makeOrigins()
        )
        try file.storeIfAsked("numbers")
        #expect(try VectorFile<Case>.load("numbers") == file)
    }
}
