import HandoffModel
import HandoffWire
import Testing
import TestLimits

@Suite("The state of a circle as it travels", .endsWithin(minutes: 10))
struct CircleMessageTests {
    private func member(_ change: (inout CircleMessage.Member) throws -> Void = { _ in }) throws -> CircleMessage {
        var member = CircleMessage.Member(
            publicKey: [UInt8](repeating: 1, count: 32),
            generation: 2,
            introducedBy: nil,
            name: try DeviceName("desk"),
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

    @Test("a member travels with its key, and without when it has not said one")
    func members() throws {
        for message in [try member(), try withoutKey()] {
            #expect(try CircleMessage(decoding: message.encode()) == message)
        }
    }

    @Test("keys of other lengths, a version of no key, and numbers out of range are refused")
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

    @Test("more members or removals than a circle has are refused")
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
