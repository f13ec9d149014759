import Foundation
import HandoffCore
import HandoffCrypto
import HandoffSessionVectors
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Vectors of what ends a session", .endsWithin(minutes: 10))
struct RefusalVectorTests {
    /// A session up to the bytes that end it; bytes in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let what: String
        let reader: RefusalScript.Side
        let error: ProtocolViolation?
        /// What the caller asks for.
        let request: String
        /// The answer of the listener that reads.
        let answer: String
        let callerPrivateKey: String
        let callerSigningKey: String
        let callerEphemeralPrivateKey: String
        let listenerPrivateKey: String
        let listenerSigningKey: String
        let listenerEphemeralPrivateKey: String
        let sent: [RefusalScript.Sent]
    }

    private static func keys() throws -> SessionVectorKeys { try SessionVectorKeys(seed: 60) }

    private static func make(_ refusal: RefusalCase) throws -> Case {
        let keys = try keys()
        let strangers = try SessionVectorKeys(seed: 61)
        return Case(
            what: refusal.what,
            reader: refusal.reader,
            error: refusal.error,
            request: hex(try refusal.request().encode()),
            answer: hex(try RefusalCase.activity().encode()),
            callerPrivateKey: hex(keys.caller.agreement.rawRepresentation),
            callerSigningKey: hex(keys.caller.publicKeys.signing.rawRepresentation),
            callerEphemeralPrivateKey: hex(keys.callerEphemeral.rawRepresentation),
            listenerPrivateKey: hex(keys.listener.agreement.rawRepresentation),
            listenerSigningKey: hex(keys.listener.publicKeys.signing.rawRepresentation),
            listenerEphemeralPrivateKey: hex(keys.listenerEphemeral.rawRepresentation),
            sent: try RefusalScript.run(refusal.steps, keys: keys, strangers: strangers)
        )
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                What ends a session (Docs/Protocol.md, "What ends a session"), and some of what does not. `sent` is what \
                both sides send, in order: frames with their length, or its two bytes where they end the session. \
                `reader` reads what the other side sends, and sends its own part, which is `request` or `answer`, with \
                the ephemeral key of the vector. The last bytes end the session with `error`, and none before; without \
                `error`, they are allowed. `plaintext` is what the last frame holds, if it decrypts. All cases have the \
                same keys, which are for testing. Everything is hexadecimal.
                """,
            cases: try RefusalCase.all().map(Self.make)
        )
        try file.storeIfAsked("refusals")
        #expect(try VectorFile<Case>.load("refusals") == file)
        #expect(Set(file.cases.map(\.what)).count == file.cases.count)
    }

    @Test("The reader ends each published session at its last bytes, with the published word and not before")
    func read() throws {
        for vector in try VectorFile<Case>.load("refusals").cases {
            for isByteByByte in [false, true] {
                var reader = try Reader(vector, keys: Self.keys())
                let found = violation { try reader.take(vector.sent.dropLast(), isByteByByte) }
                #expect(found == nil, "\(vector.what), before the last bytes")
                let last = violation { try reader.take(vector.sent.suffix(1), isByteByByte) }
                #expect(last == vector.error, "\(vector.what)")
                #expect(reader.hasMessage == (vector.error == nil), "\(vector.what)")
            }
        }
    }

    @Test("Every word is published in the protocol, in this order, and has a vector")
    func words() throws {
        let file = VectorDirectory.root.appending(path: "Docs/Protocol.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(
            text.split(separator: "### What ends a session\n").last?.split(separator: "\n## ").first
        )
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.map { $0.split(separator: "`")[1] } == ProtocolViolation.allCases.map { $0.rawValue[...] })
        let shown = try VectorFile<Case>.load("refusals").cases.compactMap(\.error)
        #expect(Set(shown) == Set(ProtocolViolation.allCases))
    }

    /// The rule that `body` finds broken.
    private func violation(_ body: () throws -> Void) -> ProtocolViolation? {
        do {
            try body()
            return nil
        } catch {
            let violation = (error as? HandoffError)?.violation
            if violation == nil { Issue.record("\(error) names no rule") }
            return violation
        }
    }
}

/// The side of a published session that reads its last bytes.
private struct Reader {
    private enum Side {
        case caller(ClientSession)
        case listener(ServerSession)
    }

    private enum Progress {
        case nothing, first, answered, acknowledged
    }

    private var side: Side
    private var progress = Progress.nothing
    private let vector: RefusalVectorTests.Case
    /// Whether the last message that was due is complete.
    private(set) var hasMessage = false

    init(_ vector: RefusalVectorTests.Case, keys: SessionVectorKeys) throws {
        self.vector = vector
        switch vector.reader {
        case .caller:
            side = .caller(
                ClientSession(
                    keys: keys.caller,
                    peer: keys.listener.publicKeys,
                    request: try Request(decoding: bytes(vector.request)),
                    ephemeralForTestVectors: keys.callerEphemeral
                )
            )
        case .listener:
            side = .listener(
                ServerSession(
                    trial: try SessionTrial(keys.listener, devices: [keys.caller.publicKeys]),
                    greeting: keys.greeting,
                    ephemeralForTestVectors: keys.listenerEphemeral
                )
            )
        }
    }

    /// Sends or receives these bytes; what it sends must be the published bytes.
    mutating func take(_ sent: some Sequence<RefusalScript.Sent>, _ isByteByByte: Bool) throws {
        for part in sent {
            let content = bytes(part.bytes)
            if part.by == vector.reader {
                let own = try written()
                #expect(own == content, "\(vector.what)")
            } else {
                hasMessage = false
                for piece in content.pieces(of: isByteByByte ? 1 : content.count) { try receive(piece) }
            }
        }
    }

    /// What this side sends now: the request has been written when the greeting arrived.
    private mutating func written() throws -> [UInt8] {
        switch side {
        case .caller:
            return first
        case .listener(var session):
            guard progress == .first else { return session.greeting }
            let answer = try session.answer(try Answer(decoding: bytes(vector.answer)))
            (side, progress) = (.listener(session), .answered)
            return answer
        }
    }

    /// The first message of the caller.
    private var first: [UInt8] = []

    private mutating func receive(_ bytes: [UInt8]) throws {
        switch side {
        case .caller(var session):
            defer { side = .caller(session) }
            if progress == .nothing {
                guard let first = try session.open(bytes) else { return }
                (self.first, progress) = (first, .first)
            } else if try session.receive(bytes) != nil {
                hasMessage = true
            }
        case .listener(var session):
            defer { side = .listener(session) }
            try receive(bytes, in: &session)
        }
    }

    private mutating func receive(_ bytes: [UInt8], in session: inout ServerSession) throws {
        switch progress {
        case .nothing, .first:
            guard try session.receiveRequest(bytes) != nil else { return }
            progress = .first
        case .answered:
            guard try session.acknowledge(bytes) else { return }
            progress = .acknowledged
        case .acknowledged:
            guard try session.receiveReport(bytes) != nil else { return }
        }
        hasMessage = true
    }
}
