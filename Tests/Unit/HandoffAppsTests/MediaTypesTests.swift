import HandoffApps
import TestLimits
import Testing

@Suite("A document's MIME type follows from its file name, or else from its content", .endsWithin(minutes: 10))
struct MediaTypesTests {
    private static let types = MediaTypes(
        """
        # a comment
        50:text/plain:*.txt
        50:text/x-csrc:*.c:cs
        50:text/x-csrc:*.c
        50:text/x-c++src:*.C:cs
        50:application/x-compressed-tar:*.tar.gz
        50:application/gzip:*.gz
        60:text/x-readme:readme.txt
        50:text/x-makefile:makefile
        50:video/x-anim:*.anim[1-9j]
        40:text/x-weak:*.long.txt
        broken
        50:empty/pattern:
        """
    )

    @Test(
        "Whole names come first, then the longest ending, then patterns; the letter case counts where a rule says so",
        arguments: [
            ("a.txt", "text/plain"), ("A.TXT", "text/plain"), ("main.c", "text/x-csrc"), ("main.C", "text/x-c++src"),
            ("a.tar.gz", "application/x-compressed-tar"), ("a.gz", "application/gzip"), ("readme.txt", "text/x-readme"),
            ("README.txt", "text/x-readme"),
            ("Makefile", "text/x-makefile"), ("a.anim3", "video/x-anim"), ("a.long.txt", "text/x-weak"),
            ("a.anim0", nil), ("nothing", nil), ("", nil), ("main.Ctxt", nil),
        ] as [(String, String?)]
    )
    func types(name: String, type: String?) {
        #expect(Self.types.types(forName: name) == (type.map { [$0] } ?? []))
    }

    @Test(
        "Where the name says nothing, the content does: by the rules of the database, or as text",
        arguments: [
            (Array("%PDF-1.4".utf8), "application/pdf"), (Array("hello\n".utf8), "text/plain"), ([], "text/plain"),
            ([0, 1], "application/octet-stream"), (Array("xx12".utf8), "a/word"), (Array("..needle".utf8), "a/needle"),
            (Array("....needle".utf8), "text/plain"), (Array("AB!".utf8), "a/masked"),
            (Array("[Desktop Entry]".utf8), "text/plain"), (Array("two1".utf8), "a/below"),
            (Array("two3".utf8), "text/plain"),
        ] as [([UInt8], String)]
    )
    func content(_ bytes: [UInt8], type: String) {
        #expect(Self.sniffing.type(ofFileNamed: "nothing") { bytes } == type)
        #expect(Self.sniffing.type(ofFileNamed: "a.txt") { bytes } == "text/plain", "the name decides")
    }

    @Test("Of several types for a name, the content decides, and without it the first")
    func ambiguous() {
        let pdf = Array("%PDF-1.4".utf8)
        #expect(Self.sniffing.type(ofFileNamed: "a.two") { pdf } == "application/pdf", "it is sure")
        #expect(Self.sniffing.type(ofFileNamed: "a.two") { Array("hello".utf8) } == "text/x-two", "plain")
        #expect(Self.sniffing.type(ofFileNamed: "a.two") { [0] } == "image/x-two")
        #expect(Self.sniffing.type(ofFileNamed: "a.two") { nil } == "image/x-two")
    }

    /// A number of `magic` files: two bytes, the great one first.
    private static func two(_ count: Int) -> [UInt8] { [UInt8(count >> 8), UInt8(count & 0xFF)] }

    private static func rule(_ head: String, _ value: [UInt8], _ tail: [UInt8] = []) -> [UInt8] {
        Array(head.utf8) + two(value.count) + value + tail + [UInt8(ascii: "\n")]
    }

    private static let sniffing = MediaTypes(
        "50:text/plain:*.txt\n50:image/x-two:*.two\n50:text/x-two:*.two",
        magic: Array("MIME-Magic\0\n".utf8)
            + Array("[90:application/pdf]\n".utf8) + rule(">0=", Array("%PDF-".utf8))
            + Array("[60:a/word]\n".utf8) + rule(">2=", Array("12".utf8))
            + Array("[50:a/below]\n".utf8) + rule(">0=", Array("two".utf8)) + rule("1>3=", Array("1".utf8))
            + rule("1>3=", Array("2".utf8))
            + Array("[50:a/needle]\n".utf8) + rule(">0=", Array("needle".utf8), Array("+3".utf8))
            + Array("[50:a/masked]\n".utf8) + rule(">0=", [0x41, 0x02, 0x21], [UInt8(ascii: "&"), 0xFF, 0x0F, 0xFF])
            + Array("[50:application/x-desktop]\n".utf8) + rule(">0=", Array("[Desktop Entry]".utf8))
    )

    @Test("A database of higher precedence can remove the patterns of a type")
    func suppressed() {
        let types = MediaTypes(
            "50:text/plain:__NOGLOBS__\n50:text/plain:*.own",
            "50:text/plain:*.txt\n50:image/png:*.png"
        )
        #expect(types.types(forName: "a.txt") == [])
        #expect(types.types(forName: "a.own") == ["text/plain"])
        #expect(types.types(forName: "a.png") == ["image/png"])
    }
}
