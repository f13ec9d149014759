import HandoffCore
import HandoffCrypto
import HandoffModel
import TestLimits
import Testing

@Suite("A statement has one encoding, and its author's signature", .endsWithin(minutes: 10))
struct CircleStatementTests {
    let keys = DeviceKeys.generate()
    let other = DeviceKeys.generate()
    var statements: [CircleStatement] {
        let (author, subject) = (keys.publicKeys.device, other.publicKeys.device)
        return [
            .add(author: author, other.publicKeys, name: "Anna’s laptop"),
            .remove(author: author, subject),
            .name(author: author, subject, version: 0x0102_0304, "👩‍💻"),
        ]
    }

    @Test("Each kind is decoded to what was encoded, with the documented length")
    func roundTrip() {
        for statement in statements { #expect(CircleStatement(content: statement.content) == statement) }
        #expect(statements.map(\.content.count) == [1 + 8 + 64 + 1 + 15, 17, 1 + 8 + 8 + 4 + 1 + 11])
        #expect(statements.map { $0.content[0] } == [1, 2, 3])
    }

    @Test("No shorter, longer or altered kind of a statement is one")
    func malformed() {
        for content in statements.map(\.content) {
            for count in 0..<content.count { #expect(CircleStatement(content: Array(content.prefix(count))) == nil) }
            #expect(CircleStatement(content: content + [0]) == nil)
            #expect(CircleStatement(content: [4] + content.dropFirst()) == nil)
        }
        #expect(CircleStatement(content: [3] + [UInt8](repeating: 1, count: 20) + [0]) == nil)
        #expect(CircleStatement(content: [3] + [UInt8](repeating: 1, count: 20) + [1, 0xFF]) == nil)
        #expect(SignedStatement(bytes: []) == nil)
    }

    @Test("A signature is valid for its author and its content only")
    func signature() throws {
        for statement in statements {
            let signed = SignedStatement(statement, signedBy: keys.signing)
            #expect(signed.isValid(for: keys.publicKeys))
            #expect(!signed.isValid(for: other.publicKeys))
            let received = try #require(SignedStatement(bytes: signed.bytes))
            #expect(received == signed)
            for index in signed.bytes.indices {
                var altered = signed.bytes
                altered[index] ^= 1
                #expect(SignedStatement(bytes: altered)?.isValid(for: keys.publicKeys) != true)
            }
        }
    }

    @Test("Of two statements in one place the same one stays, whichever is known first")
    func order() {
        let (author, subject) = (keys.publicKeys.device, other.publicKeys.device)
        let names: [CircleStatement] = [
            .name(author: author, subject, version: 1, "b"), .name(author: author, subject, version: 2, "a"),
            .name(author: author, subject, version: 2, "b"),
        ]
        for (index, name) in names.enumerated() {
            for (earlier, previous) in names.enumerated() where index != earlier {
                #expect(name.outranks(previous) == (index > earlier))
            }
        }
        let (composed, decomposed): (CircleStatement, CircleStatement) = (
            .name(author: author, subject, version: 1, "\u{E9}"), .name(author: author, subject, version: 1, "e\u{301}")
        )
        #expect(composed != decomposed && decomposed.outranks(composed) && !composed.outranks(decomposed))
        let one = CircleStatement.add(author: author, other.publicKeys, name: "a")
        let two = CircleStatement.add(author: author, other.publicKeys, name: "b")
        #expect(one.outranks(two) && !two.outranks(one))
    }
}
