import HandoffModel
import TestLimits
import Testing

@Suite("JSON with texts that were cut anywhere", .endsWithin(minutes: 10))
struct JSONTextTests {
    @Test(
        "What is half a character becomes U+FFFD, and all else stays",
        arguments: [
            (#"{"a":"b"}"#, #"{"a":"b"}"#), (#"["\ud83d"]"#, #"["\ufffd"]"#),
            (#"["\uD83D\uDE00"]"#, #"["\uD83D\uDE00"]"#),
            (#"["\ude00\ud83d"]"#, #"["\ufffd\ufffd"]"#), (#"["\ud83d\ud83d\ude00"]"#, #"["\ufffd\ud83d\ude00"]"#),
            (#"["\ud83dx"]"#, #"["\ufffdx"]"#), (#"["\ud83d\n"]"#, #"["\ufffd\n"]"#),
            (#"["\\ud83d"]"#, #"["\\ud83d"]"#),
            (#"["\\\ud83d"]"#, #"["\\\ufffd"]"#), (#"["\u00e9\u12"]"#, #"["\u00e9\u12"]"#), (#"["\ud83"#, #"["\ud83"#),
            (#"["\ud83d"#, #"["\ufffd"#), (#"["\ud83d\"#, #"["\ufffd\"#), ("", ""),
        ]
    )
    func escapes(_ text: String, _ repaired: String) {
        #expect(String(decoding: JSONText.repaired(Array(text.utf8)), as: UTF8.self) == repaired)
    }

    @Test("Bytes that are not UTF-8 become U+FFFD")
    func bytes() {
        let text = Array(#"["a"#.utf8) + [0xED, 0xA0, 0xBD, 0xFF] + Array(#"b"]"#.utf8)
        let repaired = String(decoding: JSONText.repaired(text), as: UTF8.self)
        #expect(repaired.hasPrefix(#"["a"#) && repaired.hasSuffix(#"b"]"#) && repaired.contains("\u{FFFD}"))
    }
}
