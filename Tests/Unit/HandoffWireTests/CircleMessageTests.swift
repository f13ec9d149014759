import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("The encoded state of a circle", .endsWithin(minutes: 10))
struct CircleMessageTests {
    private func member(_ change: (inout CircleMessage.Member) throws -> Void = { _ in }) throws -> CircleMessage {
        var member = CircleMessage.Member(
            publicKey: [UInt8](repeating: 1, count: 32),
            generation: 2,
            introducedBy: nil,
            name: try StatedName("desk"),
            nameVersion: 3,
            namedBy: try DeviceID("0123456789abcdef"),
            advertisingKey: [UInt8](repeating: 4, count: 32),
            advertisingKeyVersion: 5,
            protocolVersion: 1
        )
        try change(&member)
        return CircleMessage(members: [member], removals: [])
    }

    private func withoutKey() throws -> CircleMessage {
        try member {
            $0.advertisingKey = nil
            $0.advertisingKeyVersion = 0
        }
    }

    @Test("A member is encoded with its key, and without one if it has not published a key")
    func members() throws {
        for message in [try member(), try withoutKey()] {
            #expect(try CircleMessage(decoding: message.encode()) == message)
        }
    }

    @Test("A name is kept byte by byte, whatever it contains, so that the digest stays the sender's")
    func names() throws {
        for text in ["👩‍💻", "", "a\u{202E}\n", "e\u{301}", String(repeating: "a", count: 256)] {
            let message = try member { $0.name = try StatedName(text) }
            let read = try CircleMessage(decoding: message.encode())
            #expect(read.encode() == message.encode())
            #expect(read.members[0].name.rawValue.utf8.elementsEqual(text.utf8))
        }
    }

    @Test("Keys of other lengths, a version without a key, and numbers out of range are refused")
    func refused() throws {
        let messages = [
            try member { $0.advertisingKey = [1] },
            try member { $0.advertisingKey = [UInt8](repeating: 1, count: 33) },
            try member { $0.advertisingKey = nil },
            try member { $0.publicKey = [] },
            try member { $0.generation = CircleLimits.number + 1 },
        ]
        for message in messages {
            let bytes = message.encode()
            #expect { try CircleMessage(decoding: bytes) } throws: { ($0 as? WireError)?.code == .invalidContent }
        }
    }

    @Test("More members or removals than a circle can have are refused")
    func tooMany() throws {
        let one = try member().members[0]
        let removal = CircleMessage.Removal(device: one.namedBy, generation: 0, number: 1)
        let messages = [
            CircleMessage(members: Array(repeating: one, count: 102), removals: []),
            CircleMessage(members: [], removals: Array(repeating: removal, count: 201)),
        ]
        for message in messages {
            let bytes = message.encode()
            #expect { try CircleMessage(decoding: bytes) } throws: { ($0 as? WireError)?.code == .tooLarge }
        }
    }
}
