import ArgumentParser
import Foundation
import TestLimits
import Testing

@testable import HandoffCLI

@Suite("The commands of handoffctl that the pages show are ones that it accepts", .endsWithin(minutes: 10))
struct CommandExampleTests {
    private static let pages = Result {
        let listed = try FileManager.default.subpathsOfDirectory(atPath: Documentation.directory.path())
        return (listed.filter { $0.hasSuffix(".md") && !$0.hasPrefix("Decisions/") } + ["../README.md"]).sorted()
    }

    @Test("Each, with words for those that are left out at its end")
    func commands() throws {
        var count = 0
        for page in try Self.pages.get() {
            for command in Self.commands(in: try Documentation.text(page)) {
                count += 1
                let words = Array(Self.words(of: command).dropFirst())
                let isAccepted = (0...2).contains { missing in
                    (try? HandoffControl.parseAsRoot(words + Array(repeating: "x", count: missing))) != nil
                }
                #expect(isAccepted, "\(page): `\(command)`")
            }
        }
        #expect(count > 150, "only \(count) commands were found")
    }

    /// The commands in a text: those between grave accents, and those that begin an indented line, after a prompt.
    private static func commands(in text: String) -> [String] {
        let text = text.replacing(#/[ ]*\\\n[ ]*/#, with: " ")
        let lines = text.split(separator: "\n").compactMap { line in
            line.firstMatch(of: #/^ {4,}(?:[a-z]*\$ +)?(handoffctl .*)$/#).map { String($0.1) }
        }
        let spans = text.matches(of: #/`(handoffctl [^`]*)`/#).map { String($0.1).replacing("\n", with: " ") }
        // Synopses, and commands of which a part is left out.
        return (lines + spans).map { $0.replacing(#/[ ]+(#|\|)[ ].*/#, with: "") }.filter { command in
            !command.contains { "[…<>;&$".contains($0) } && !command.contains(#/[a-z]\|[a-z]|COMMAND/#)
        }
    }

    /// The words of a command, of which some are quoted.
    private static func words(of command: String) -> [String] {
        command.matches(of: #/'([^']*)'|[^ ]+/#).map { String($0.1 ?? $0.0) }
    }
}
