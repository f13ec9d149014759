import Foundation
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("URLs of files", .endsWithin(minutes: 10))
struct FileURLTests {
    /// An address, and the path of the file in hexadecimal; nil for what is no file of this computer.
    struct Case: Codable, Equatable, Sendable {
        let url: String
        let path: String?
    }

    @Test("Addresses of files are read as Python reads them")
    func table() throws {
        let cases = try VectorFile<Case>.table("file-addresses").cases
        #expect(cases.count > 40)
        for one in cases {
            let path = ((try? FileURL(one.url)) ?? nil)?.path
            #expect(path.map { $0.map { String(format: "%02x", $0) }.joined() } == one.path, "\(one.url)")
        }
    }

    @Test(
        "A file URL has a path, however it is written",
        arguments: [
            ("file:///a/b", "/a/b", ""), ("file:/a", "/a", ""), ("FILE://localhost/a%20b", "/a b", ""),
            ("file:///a?x=%3F#p", "/a", "?x=%3F#p"), ("file:///%C3%BC", "/ü", ""), ("file:///a%3fb", "/a?b", ""),
        ]
    )
    func read(text: String, path: String, suffix: String) throws {
        let url = try #require(try FileURL(text))
        #expect(url.path == Array(path.utf8))
        #expect(url.suffix == suffix)
        #expect(try FileURL(url.description) == url)
    }

    @Test(
        "A URL that is not a file of this device is refused",
        arguments: ["file://host/a", "file:a", "file:", "file://", "file:///a%0", "file:///a%zz", "file:///a%00"]
    )
    func refused(text: String) {
        #expect(throws: ModelError.self) { _ = try FileURL(text) }
    }

    @Test("URLs of other schemes are not file URLs", arguments: ["http://a/", "", "files:///a", "/a"])
    func other(text: String) throws {
        let url = try FileURL(text)
        #expect(url == nil)
    }

    @Test("A file name of any bytes but NUL is the same after encoding and decoding")
    func bytes() throws {
        let name = (1...255).map(UInt8.init).filter { $0 != UInt8(ascii: "/") }
        let file = try FileURL(path: [UInt8(ascii: "/")] + name)
        #expect(try FileURL(file.description) == file)
        let inFolder = try FolderURL(folder: FolderID("a"), components: [name, name], suffix: "#x")
        #expect(try FolderURL(inFolder.description) == inFolder)
        #expect(inFolder.description.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test(
        "A folder URL has a folder and a path in it, however it is written",
        arguments: [
            ("handoff-folder:docs/", "docs", []), ("HANDOFF-Folder:docs/a/b", "docs", ["a", "b"]),
            ("handoff-folder:docs/a%20b/%C3%bc?q#f", "docs", ["a b", "ü"]),
            ("handoff-folder:docs/a/...", "docs", ["a", "..."]),
        ]
    )
    func folderURL(text: String, folder: String, components: [String]) throws {
        let url = try #require(try FolderURL(text))
        #expect(url.folder.rawValue == folder)
        #expect(url.components == components.map { Array($0.utf8) })
        #expect(try FolderURL(url.description) == url)
    }

    @Test(
        "A folder URL that is malformed or could lead out of its folder is refused",
        arguments: [
            "handoff-folder:", "handoff-folder:docs", "handoff-folder:/a", "handoff-folder:docs?q/",
            "handoff-folder:docs//a",
            "handoff-folder:docs/a/", "handoff-folder:docs/.", "handoff-folder:docs/a/../b",
            "handoff-folder:docs/%2e%2E",
            "handoff-folder:docs/a%2fb", "handoff-folder:docs/%00", "handoff-folder:docs/%0", "handoff-folder:d%6Fcs/",
            "handoff-folder:docs/" + String(repeating: "a", count: 4095),
        ]
    )
    func refusedFolderURL(text: String) {
        #expect(throws: ModelError.self) { _ = try FolderURL(text) }
    }

    @Test("The longest path has 4095 bytes after decoding, a slash for each component counted")
    func longestPath() throws {
        #expect(throws: Never.self) { try FolderURL("handoff-folder:docs/" + String(repeating: "%61", count: 4094)) }
        #expect(throws: Never.self) { try FolderURL("handoff-folder:docs/a" + String(repeating: "/a", count: 2046)) }
        #expect(throws: ModelError.self) {
            try FolderURL("handoff-folder:docs/a" + String(repeating: "/a", count: 2047))
        }
    }

    @Test(
        "A folder's id has the form of a word",
        arguments: [
            ("docs", true), ("a.b-c_d", true), ("0", true), ("", false), (".a", false), ("a/b", false), ("ü", false),
        ]
    )
    func folderID(text: String, isOne: Bool) {
        let id = try? FolderID(text)
        #expect((id != nil) == isOne)
        #expect((try? FolderID(String(repeating: "a", count: 65))) == nil)
    }
}
