import HandoffApps
import TestLimits
import Testing

@Suite("A document's MIME type follows from its file name", .endsWithin(minutes: 10))
struct MediaTypesTests {
    private static let types = MediaTypes(
        """
        # a comment
        50:text/plain:*.txt
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
        "The weight, the length and the letter case of the patterns decide, in this order",
        arguments: [
            ("a.txt", "text/plain"), ("A.TXT", "text/plain"), ("main.c", "text/x-csrc"), ("main.C", "text/x-c++src"),
            ("a.tar.gz", "application/x-compressed-tar"), ("a.gz", "application/gzip"), ("readme.txt", "text/x-readme"),
            ("README.txt", "text/plain"),
            ("Makefile", "text/x-makefile"), ("a.anim3", "video/x-anim"), ("a.long.txt", "text/plain"),
            ("a.anim0", nil), ("nothing", nil), ("", nil),
        ] as [(String, String?)]
    )
    func types(name: String, type: String?) {
        #expect(Self.types.type(ofFileNamed: name) == type)
    }

    @Test("A database of higher precedence can remove the patterns of a type")
    func suppressed() {
        let types = MediaTypes(
            "50:text/plain:__NOGLOBS__\n50:text/plain:*.own",
            "50:text/plain:*.txt\n50:image/png:*.png"
        )
        #expect(types.type(ofFileNamed: "a.txt") == nil)
        #expect(types.type(ofFileNamed: "a.own") == "text/plain")
        #expect(types.type(ofFileNamed: "a.png") == "image/png")
    }
}
