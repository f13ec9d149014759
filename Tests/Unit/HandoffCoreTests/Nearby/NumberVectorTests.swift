import HandoffModel
import HandoffRadio
import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCore

@Suite("Vectors of numbered advertisements", .endsWithin(minutes: 10))
struct NumberVectorTests {
    /// What is heard of one device, in this order.
    struct Case: Codable, Equatable, Sendable {
        let what: String
        var heard: [Heard]
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

    /// The inputs with what this receiver makes of them.
    private static func make() throws -> [Case] {
        try inputs.map { input in
            var (made, table) = (input, NearbyTable())
            var latest: LatestAdvertisement?
            for (index, heard) in input.heard.enumerated() {
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
                made.heard[index].isAccepted = next.accepts(report.number, report.typeHash, at: .milliseconds(heard.at))
                latest = next
                made.heard[index].isNewEntry = table.all.first.map { $0.id != before } ?? false
            }
            return made
        }
    }

    @Test("The published vectors are what this code makes of them")
    func published() throws {
        let file = VectorFile(
            about: """
                What a receiver accepts of one device (Docs/Protocol.md, "Numbers"). `at` is in milliseconds, `number` that \
                within the slot, `typeHash` hexadecimal and absent for a withdrawal; `isNewEntry` says whether another \
                entry than before is shown.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("numbers")
        #expect(try VectorFile<Case>.load("numbers") == file)
    }
}
