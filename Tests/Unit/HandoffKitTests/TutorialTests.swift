import Foundation
import TestLimits
import Testing

@Suite("The tutorial and the guide for apps", .endsWithin(minutes: 10))
struct TutorialTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let root = tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test(
        "The files of the last step of the tutorial are those of Examples/Editor",
        arguments: [
            ("editor-5.swift", "Editor.swift"), ("Lines.swift", "Lines.swift"),
        ]
    )
    func lastStep(file: String, example: String) throws {
        let step = Self.root.appending(path: "Sources/HandoffKit/HandoffKit.docc/Resources/\(file)")
        let compiled = try String(contentsOf: Self.root.appending(path: "Examples/Editor/\(example)"), encoding: .utf8)
        #expect(try String(contentsOf: step, encoding: .utf8) == compiled)
    }

    @Test("The Swift programs of Docs/Adopting.md are compiled here, line by line")
    func adopting() throws {
        let page = try String(contentsOf: Self.root.appending(path: "Docs/Adopting.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 3)
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
