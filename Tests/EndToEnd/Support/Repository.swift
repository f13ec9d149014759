import Foundation
import Testing

/// Files of this repository that the stories use.
enum Repository {
    /// The root of the repository, relative to this source file.
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The file or directory at that path.
    static func file(_ path: String) -> URL { root.appending(path: path) }

    /// The paths of the pages in a directory.
    static func pages(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file(directory).path()).filter { $0.hasSuffix(".md") }
            .map { "\(directory)/\($0)" }
    }

    /// The blocks of Python in a page, each as it is written there.
    static func pythonBlocks(in page: String) throws -> [String] {
        try blocks(of: "python", in: page)
    }

    /// The shell script in a page that contains `text`: a block of its own, or indented.
    static func shellScript(containing text: String, in page: String) throws -> String {
        let indented = try String(contentsOf: file(page), encoding: .utf8).components(separatedBy: "\n\n")
            .filter { $0.hasPrefix("    ") }
        return try #require(try (blocks(of: "sh", in: page) + indented).first { $0.contains(text) })
    }

    private static func blocks(of language: String, in page: String) throws -> [String] {
        try String(contentsOf: file(page), encoding: .utf8).components(separatedBy: "```\(language)\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
    }

    /// The shell commands in a page, which are indented and begin with the name of one of the programs.
    static func commands(_ programs: [String], in page: String) throws -> [String] {
        try String(contentsOf: file(page), encoding: .utf8).replacing("\\\n", with: "").split(separator: "\n")
            .filter { line in programs.contains { line.hasPrefix("    \($0) ") } }.map(String.init)
    }

    /// The Python program in Docs/Adopting.md that contains `text`; it is expected to have at most 40 lines.
    static func adoptingProgram(containing text: String) throws -> String {
        let program = try #require(try pythonBlocks(in: "Docs/Adopting.md").first { $0.contains(text) })
        #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
        return program
    }
}
