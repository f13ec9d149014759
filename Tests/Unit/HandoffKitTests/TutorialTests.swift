import Foundation
import TestLimits
import Testing

@Suite("The tutorial and the guide for apps", .endsWithin(minutes: 10))
struct TutorialTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let root = tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("The last step of the tutorial is the code that is compiled here")
    func lastStep() throws {
        let step = Self.root.appending(path: "Sources/HandoffKit/HandoffKit.docc/Resources/editor-5.swift")
        let compiled = try String(contentsOf: Self.tests.appending(path: "Editor.swift"), encoding: .utf8)
        #expect(try String(contentsOf: step, encoding: .utf8) == compiled)
    }

    @Test("The Swift programs of Docs/Adopting.md are compiled here, line by line")
    func adopting() throws {
        let page = try String(contentsOf: Self.root.appending(path: "Docs/Adopting.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 2)
        let compiled = try Self.lines(
            String(contentsOf: Self.tests.appending(path: "AdoptingTests.swift"), encoding: .utf8)
        )
        for block in blocks {
            let lines = Self.lines(block).filter { !$0.isEmpty }
            #expect(compiled.filter { !$0.isEmpty }.joined(separator: "\n").contains(lines.joined(separator: "\n")))
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
