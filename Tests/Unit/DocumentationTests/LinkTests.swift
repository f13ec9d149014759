import Foundation
import TestLimits
import Testing

@Suite("The links in the pages lead to pages and headings that exist", .endsWithin(minutes: 10))
struct LinkTests {
    private static let root = Documentation.directory.deletingLastPathComponent()

    /// The Markdown files of the repository, by their paths below its root.
    private static let pages = Result {
        let listed = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Docs").path())
        let others = ["Tests", "Examples"].flatMap { folder in
            (try? FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path()))?
                .map { "\(folder)/\($0)" } ?? []
        }
        let own = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
        return own + (listed.map { "Docs/\($0)" } + others).filter { $0.hasSuffix(".md") }
    }

    @Test("Every link of every page")
    func links() throws {
        let pages = try Self.pages.get()
        #expect(pages.count > 40)
        var headings: [URL: Set<String>] = [:]
        for page in pages {
            let file = Self.root.appending(path: page).standardizedFileURL
            for link in try MarkdownText(contentsOf: file).links {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let target =
                    parts[0].isEmpty ? file : URL(filePath: parts[0], relativeTo: file).standardizedFileURL
                guard FileManager.default.fileExists(atPath: target.path()) else {
                    Issue.record("\(page): there is no file \(link)")
                    continue
                }
                guard parts.count == 2 else { continue }
                let known = try headings[target] ?? MarkdownText(contentsOf: target).anchors
                headings[target] = known
                #expect(known.contains(parts[1]), "\(page): \(target.lastPathComponent) has no heading #\(parts[1])")
            }
        }
    }

    @Test("Headings have the anchors that code hosts give them")
    func anchors() {
        let text = MarkdownText(
            """
            ## Fetch(options: a{sv}) → activity: a{sv}
            ### RSSI `n`
            ### Twice
            ### Twice
            ```
            # a comment
            ```
            """
        )
        #expect(text.anchors == ["fetchoptions-asv--activity-asv", "rssi-n", "twice", "twice-1"])
    }

    @Test("Links in code are none, and addresses elsewhere are not followed")
    func code() {
        let text = MarkdownText(
            """
            [a](b.md#c) and `[no](link)` and [there](https://example.org/#x)
            ```python
            x = [f](g)
            ```
            """
        )
        #expect(text.links == ["b.md#c"])
    }
}

/// The links and headings of a text in Markdown, outside of code.
private struct MarkdownText {
    private let lines: [String]

    init(contentsOf file: URL) throws {
        self.init(try String(contentsOf: file, encoding: .utf8))
    }

    init(_ text: String) {
        var isCode = false
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
            if line.trimmingPrefix(while: \.isWhitespace).hasPrefix("```") {
                isCode.toggle()
                return nil
            }
            return isCode ? nil : String(line)
        }
    }

    /// The targets of the links to files and headings, with the `#` of an anchor.
    var links: [String] {
        // A link may be broken between its text and the end of a line, so that the whole text is searched.
        lines.joined(separator: "\n").replacing(/`[^`\n]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/)
            .map { String($0.1) }.filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
    }

    /// The anchors of the headings: lower case, without punctuation, with hyphens for blanks, and numbered if repeated.
    var anchors: Set<String> {
        var counts: [String: Int] = [:]
        return lines.filter { $0.hasPrefix("#") }.reduce(into: []) { anchors, line in
            let title = line.drop { $0 == "#" }.dropFirst().lowercased()
            let kept = title.filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " }
            let anchor = kept.replacing(" ", with: "-")
            let count = counts[anchor, default: 0]
            counts[anchor] = count + 1
            anchors.insert(count == 0 ? anchor : "\(anchor)-\(count)")
        }
    }
}
