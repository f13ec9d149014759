import HandoffCore
import TestLimits
import Testing

@Suite("The window of a stream", .endsWithin(minutes: 10))
struct StreamWindowTests {
    @Test("A window has room for four pieces, and for another one when one was taken")
    func room() throws {
        var window = StreamWindow()
        for _ in 0..<4 {
            #expect(window.hasRoom)
            try window.add()
        }
        #expect(!window.hasRoom)
        try window.remove()
        #expect(window.hasRoom)
    }

    @Test("A fifth piece, and a piece taken that was not sent, are the other side's misbehaviour")
    func misuse() throws {
        var window = StreamWindow()
        #expect(throws: HandoffError.self) { try window.remove() }
        for _ in 0..<4 { try window.add() }
        #expect(throws: HandoffError.self) { try window.add() }
        for _ in 0..<4 { try window.remove() }
        #expect(throws: HandoffError.self) { try window.remove() }
    }
}
