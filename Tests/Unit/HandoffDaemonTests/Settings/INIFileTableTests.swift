import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Files of settings are read as Python reads them", .endsWithin(minutes: 10))
struct INIFileTableTests {
    /// A file, and its entries: section, key and value; nil for a file that is refused.
    struct Case: Codable, Equatable, Sendable {
        let text: String
        let entries: [[String]]?
    }

    @Test("By the table that both read")
    func table() throws {
        let cases = try VectorFile<Case>.table("settings-files").cases
        #expect(cases.count > 25)
        for one in cases {
            let entries = (try? INIFile(one.text))?.entries.map { [$0.section, $0.key, $0.value] }
            let sorted = entries?.sorted { $0.lexicographicallyPrecedes($1) }
            #expect(sorted == one.entries?.sorted { $0.lexicographicallyPrecedes($1) }, "\(one.text.debugDescription)")
        }
    }
}
