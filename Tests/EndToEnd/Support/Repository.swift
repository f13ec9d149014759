import Foundation
import Testing

/// Files of this repository that the stories use.
enum Repository {
    /// The root of the repository, relative to this source file.
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The file or directory at that path.
    static func file(_ path: String) -> URL { root.appending(path: path) }

    /// The Python program in Docs/Adopting.md that contains `text`; it is expected to have at most 40 lines.
    static func adoptingProgram(containing text: String) throws -> String {
        let page = try String(contentsOf: file("Docs/Adopting.md"), encoding: .utf8)
        let programs = page.components(separatedBy: "```python\n").dropFirst().map { block in
            block.components(separatedBy: "```")[0]
        }
        let program = try #require(programs.first { $0.contains(text) })
        #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
        return program
    }
}
