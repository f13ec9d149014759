import Foundation
import TestLimits
import Testing

@Suite("The index of the decisions lists each of them", .endsWithin(minutes: 10))
struct DecisionIndexTests {
    @Test("Each decision is in the index once, under its number and title")
    func index() throws {
        let directory = Documentation.directory.appending(path: "Decisions")
        let index = try String(contentsOf: directory.appending(path: "README.md"), encoding: .utf8)
        let listed = index.matches(of: /\| (\d+) \| \[(.+)\]\((.+)\) \|/).map { row in
            "\(row.output.3): # \(row.output.1). \(row.output.2)"
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path()).filter { $0 != "README.md" }
        let titles = try files.map { file in
            let text = try String(contentsOf: directory.appending(path: file), encoding: .utf8)
            return "\(file): \(text.prefix { $0 != "\n" })"
        }
        #expect(titles.count > 40)
        #expect(listed.sorted() == titles.sorted())
    }
}
