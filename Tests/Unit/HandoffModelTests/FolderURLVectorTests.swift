import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Vectors of URLs of files", .endsWithin(minutes: 10))
struct FolderURLVectorTests {
    /// A URL in userInfo, and what a device reads in it.
    struct Case: Codable, Equatable, Sendable {
        let url: String
        /// The folder, and the components of the path in hexadecimal; nil for a URL of another scheme, and for one that is
        /// refused.
        var folder: String?
        var components: [String]?
        var isRefused = false

        init(_ url: String) {
            self.url = url
            do {
                // A URL of a file of the other device is refused, however it is written.
                isRefused = try FileURL(url) != nil
                guard let read = try FolderURL(url) else { return }
                (folder, components) = (read.folder.rawValue, read.components.map { hex($0) })
            } catch {
                isRefused = true
            }
        }
    }

    private static let accepted = [
        "https://example.org/", "handoff-folders:docs/a", "handoff-folder:docs/", "HANDOFF-Folder:docs/a/b",
        "handoff-folder:a.B-c_9/x", "handoff-folder:0/a%20b/%C3%bc?q/../#f", "handoff-folder:docs/a#f?q",
        "handoff-folder:docs/?q",
        "handoff-folder:docs/a/...", "handoff-folder:docs/%2E%2E%2E", "handoff-folder:docs/%FF",
        "handoff-folder:" + String(repeating: "d", count: 64) + "/a",
        "handoff-folder:docs/a" + String(repeating: "/a", count: 2046),
        "handoff-folder:docs/" + String(repeating: "%61", count: 4094),
    ]

    private static let refused = [
        "file:///a", "file:/a", "FILE://localhost/a", "file://host/a", "file:a", "handoff-folder:",
        "handoff-folder:docs",
        "handoff-folder:/a", "handoff-folder:docs?q/", "handoff-folder:docs#f/", "handoff-folder:docs//a",
        "handoff-folder:docs/a/",
        "handoff-folder:docs/.", "handoff-folder:docs/a/../b", "handoff-folder:docs/%2e%2E", "handoff-folder:docs/%2E",
        "handoff-folder:docs/a%2fb", "handoff-folder:docs/a%2Fb", "handoff-folder:docs/%00", "handoff-folder:docs/%0",
        "handoff-folder:docs/%zz", "handoff-folder:d%6Fcs/", "handoff-folder:.a/b", "handoff-folder:-a/b",
        "handoff-folder:a b/c",
        "handoff-folder:ü/a", "handoff-folder:a\n/b", "handoff-folder:" + String(repeating: "d", count: 65) + "/a",
        "handoff-folder:docs/a" + String(repeating: "/a", count: 2047),
        "handoff-folder:docs/" + String(repeating: "a", count: 4095),
    ]

    @Test("The published vectors are what this code makes of them")
    func published() throws {
        let file = VectorFile(
            about: """
                URLs in userInfo (Docs/Protocol.md, "Files"): the folder and the components of the path, decoded and in \
                hexadecimal; neither for a URL of another scheme. What `isRefused` breaks a rule.
                """,
            cases: (Self.accepted + Self.refused).map(Case.init)
        )
        try file.storeIfAsked("files")
        #expect(try VectorFile<Case>.load("files") == file)
        #expect(file.cases.filter(\.isRefused).map(\.url) == Self.refused)
    }
}
