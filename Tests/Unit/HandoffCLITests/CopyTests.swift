import Foundation
import SystemPackage
import Testing
import TestLimits

@testable import HandoffCLI

@Suite("A copy has the name of the file, as far as that is safe, and replaces nothing", .endsWithin(minutes: 10))
struct CopyTests {
    @Test(
        "Names are numbered before their ending, and shortened before it",
        arguments: [
            ("report.pdf", "report (2).pdf"), ("a.tar.gz", "a.tar (2).gz"), ("README", "README (2)"),
            (".profile", "_profile (2)"), ("..a", "_ (2).a"), ("a.", "a (2)."), ("-rf", "_rf (2)"),
            ("--checkpoint-action=exec=sh x.sh", "_-checkpoint-action=exec=sh x (2).sh"), ("-", "_ (2)"),
            ("a\nb.txt", "a_b (2).txt"), ("a\tb\r", "a_b_ (2)"), ("\u{1B}]0;x\u{7}a.txt", "_]0;x_a (2).txt"),
            ("report\u{202E}fdp.desktop", "report_fdp (2).desktop"), ("\u{202E}-rf", "_-rf (2)"),
            ("a\u{200B}\u{9B}b\u{2028}c", "a__b_c (2)"), ("a\u{E0041}\u{FEFF}", "a__ (2)"), ("a\u{200D}b", "a_b (2)"),
            ("می\u{200C}خواهم", "می\u{200C}خواهم (2)"), ("3.04\u{202F}PM  x.png", "3.04\u{202F}PM  x (2).png"),
            ("日本 ü\u{308}.txt", "日本 ü\u{308} (2).txt"), ("a.txt ", "a (2).txt "),
            ("x.averyveryverylongending", "x.averyveryverylongending (2)"),
            (String(repeating: "x", count: 300) + ".pdf", String(repeating: "x", count: 236) + " (2).pdf"),
        ]
    )
    func numbered(_ told: String, _ expected: String) throws {
        let name = try #require(CopyName(told.utf8))
        #expect(String(decoding: name.numbered(2), as: UTF8.self) == expected)
        #expect(name.numbered(1) == Array(expected.utf8).replacing(Array(" (2)".utf8), with: []))
    }

    @Test("Bytes that are no text stay as they are, between characters that do not")
    func noText() throws {
        let name = try #require(CopyName([0xFF, 0x0A, 0xE9] + "\u{202E}x".utf8))
        #expect(name.numbered(1) == [0xFF, 0x5F, 0xE9, 0x5F, 0x78])
    }

    @Test("A name that is too long ends with a whole character, and keeps its ending")
    func long() throws {
        let name = try #require(CopyName((String(repeating: "€", count: 100) + ".txt").utf8))
        #expect(String(validating: name.numbered(1), as: UTF8.self) == String(repeating: "€", count: 78) + ".txt")
        let latin = try #require(CopyName([UInt8](repeating: 0xE9, count: 300)))
        #expect(latin.numbered(1).count == 240)
        let signs = try #require(CopyName("a".utf8 + [UInt8](repeating: 0xA9, count: 300) + ".profile".utf8))
        #expect(signs.numbered(1).count == 240)
        #expect(signs.numbered(1).starts(with: [0x61, 0xA9]))
    }

    @Test("A byte that is no text and a control character to a terminal becomes a low line")
    func control() throws {
        let name = try #require(CopyName([0x9B] + "31mx".utf8 + [0xE9]))
        #expect(name.numbered(1) == Array("_31mx".utf8) + [0xE9])
    }

    @Test("No more accents than any language writes stand on one letter")
    func accents() throws {
        let name = try #require(CopyName(("a" + String(repeating: "\u{301}", count: 10) + "b").utf8))
        #expect(name.numbered(1) == Array(("a" + String(repeating: "\u{301}", count: 8) + "__b").utf8))
    }

    @Test(
        "The progress of a reception is a share of its size, as far as that is known",
        arguments: [
            (nil, "received 1.5 MB, 750.0 kB/s"), (3_000_000, "received 1.5 MB of 3.0 MB (50 %), 750.0 kB/s"),
            (0, "received 1.5 MB, 750.0 kB/s"), (Int.max, "received 1.5 MB of 9223.3 PB (0 %), 750.0 kB/s"),
        ]
    )
    func progress(size: Int?, expected: String) {
        let text = ProgressText(
            sent: nil,
            size: nil,
            received: 1_500_000,
            receivedSize: size,
            elapsed: .seconds(2)
        )
        #expect(text.description == expected)
    }

    @Test(
        "What names no file in a directory is refused",
        arguments: ["", ".", "..", "a/b", "../x", "/etc/passwd", "a\0b"]
    )
    func noName(_ told: String) {
        #expect(CopyName(told.utf8) == nil)
    }

    @Test("The first line of a stream is read as it was written, and no other version or size of it")
    func line() {
        let file = CopiedFile(name: [0x2F, 0x0A, 0xFF], size: 12, modificationTime: -5)
        #expect(CopiedFile(line: file.line.dropLast()) == file)
        #expect(file.line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        for text in [
            "", "{}", "[]", #"{"version":2,"name":"YQ==","size":1,"modificationTime":0}"#,
            #"{"version":1,"name":"YQ==","size":-1,"modificationTime":0}"#,
            #"{"version":1,"name":"not base64!","size":1,"modificationTime":0}"#,
        ] {
            #expect(CopiedFile(line: text.utf8) == nil, "\(text)")
        }
    }

    @Test(
        "The directory for downloads is that of xdg-user-dirs",
        arguments: [
            (#"XDG_DOWNLOAD_DIR="$HOME/Downloads""#, "/home/ann/Downloads"),
            (#"XDG_DOWNLOAD_DIR="/data/a b""#, "/data/a b"),
            (#"XDG_DOWNLOAD_DIR="$HOME/a\"b\\c\$d""#, #"/home/ann/a"b\c$d"#),
            (#"XDG_DOWNLOAD_DIR="$HOME""#, "/home/ann"),
            ("#XDG_DOWNLOAD_DIR=\"/x\"\nXDG_MUSIC_DIR=\"/y\"", nil), (#"XDG_DOWNLOAD_DIR="relative""#, nil),
            (#"XDG_DOWNLOAD_DIR=/x"#, nil), (#"XDG_DOWNLOAD_DIR=""#, nil), ("", nil),
        ]
    )
    func downloads(_ text: String, _ expected: String?) {
        #expect(CopyDirectory.downloads(in: text, home: "/home/ann") == expected)
    }

    @Test("A copy gets a name that nothing else has; one that gets none leaves nothing")
    func place() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "copy-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = try CopyDirectory(path)
        let name = try #require(CopyName("a.txt".utf8))
        for number in 1...3 {
            let copy = try NewCopy(in: directory)
            try copy.write(Array("\(number)".utf8)[...])
            #expect(try copy.place(as: name, modificationTime: 1_700_000_000) == name.numbered(number))
        }
        do {
            let unfinished = try NewCopy(in: directory)
            try unfinished.write([1])
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(names == ["a (2).txt", "a (3).txt", "a.txt"])
        #expect(FileManager.default.contents(atPath: path + "/a (3).txt") == Data("3".utf8))
        #expect(directory.availableBytes > 0)
    }
}
