import Foundation
@testable import HandoffDaemon
import TestLimits
import Testing

@Suite("Docs/handoffd.md tells every setting", .endsWithin(minutes: 10))
struct SettingsTableTests {
    /// The words in a text that are printed as code.
    private static func code(_ text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    @Test("Each setting has its row, with the folders, and nothing else has one")
    func keys() throws {
        let section = try Page("handoffd.md").section("## Settings")
        let cells = section.filter { $0.hasPrefix("| ") }.compactMap { $0.split(separator: "|").first }
        let keys = cells.flatMap { Self.code(String($0)) }
        #expect(keys.sorted() == (Setting.all.map(\.key) + ["[\(SettingFiles.folders)]"]).sorted())
    }

    @Test("The options of settings are among those of the command line")
    func options() throws {
        let cells = try Page("handoffd.md").rows.compactMap(\.first).flatMap(Self.code)
        let options = Set(cells.compactMap { $0.split(separator: " ").first.map(String.init) })
        #expect(Set(Setting.all.compactMap(\.option)).subtracting(options) == [])
    }

    @Test("The settings that hold after a restart only are named")
    func restart() throws {
        let text = try Page("handoffd.md").section("## Settings").joined(separator: " ")
        let sentence = try #require(text.sentence(endingWith: " hold after a restart only"))
        #expect(Self.code(sentence).sorted() == Setting.all.filter(\.needsRestart).map(\.key).sorted())
    }
}

extension String {
    /// The sentence that ends with these words, without them; nil when there is none.
    fileprivate func sentence(endingWith end: String) -> String? {
        guard let end = range(of: end)?.lowerBound else { return nil }
        return self[..<end].split(separator: ". ").last.map(String.init)
    }
}
