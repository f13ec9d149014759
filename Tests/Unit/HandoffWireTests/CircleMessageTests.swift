import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("The message with which devices exchange their circles", .endsWithin(minutes: 10))
struct CircleMessageTests {
    private static func message(_ change: (inout CircleMessage) -> Void = { _ in }) -> CircleMessage {
        var message = CircleMessage(
            statements: [[1, 2, 3], [4]],
            digest: [UInt8](repeating: 1, count: 32),
            advertisingKey: [UInt8](repeating: 2, count: 44),
            directedKey: [UInt8](repeating: 3, count: 32),
            knownKey: [UInt8](repeating: 4, count: 8)
        )
        change(&message)
        return message
    }

    @Test("A message is the same after encoding and decoding, also without statements and without a known key")
    func roundTrip() throws {
        let messages = [
            Self.message(), Self.message { $0.statements = nil }, Self.message { $0.knownKey = nil },
        ]
        for message in messages { #expect(try CircleMessage(decoding: message.encode()) == message) }
    }

    @Test("A digest, a key and the identifier of a key have one length each")
    func lengths() {
        for count in [0, 7, 9, 31, 33, 43, 45] {
            let bytes = [UInt8](repeating: 1, count: count)
            let messages = [
                Self.message { $0.digest = bytes }, Self.message { $0.advertisingKey = bytes },
                Self.message { $0.directedKey = bytes },
            ]
            for message in messages {
                #expect { try CircleMessage(decoding: message.encode()) } throws: {
                    ($0 as? WireError)?.code == .invalidContent
                }
            }
        }
        #expect { try CircleMessage(decoding: Self.message { $0.knownKey = [1] }.encode()) } throws: {
            ($0 as? WireError)?.code == .invalidContent
        }
    }

    @Test("The largest circle fits, and one statement more does not")
    func limits() throws {
        let statement = [UInt8](repeating: 1, count: CircleMessage.maximumStatementBytes)
        let count = CircleLimits.standard.statements
        let largest = Self.message { $0.statements = Array(repeating: statement, count: count) }
        #expect(try CircleMessage(decoding: largest.encode()) == largest)
        let larger = Self.message { $0.statements = Array(repeating: [1], count: count + 1) }
        #expect { try CircleMessage(decoding: larger.encode()) } throws: { ($0 as? WireError)?.code == .tooLarge }
    }

    @Test("A request for the circle has a digest of 32 bytes")
    func request() throws {
        let request = Request.circle(CircleRequest(digest: [UInt8](repeating: 9, count: 32)))
        #expect(try Request(decoding: request.encode()) == request)
        #expect { try Request(decoding: Request.circle(CircleRequest(digest: [1])).encode()) } throws: {
            ($0 as? WireError)?.code == .invalidContent
        }
    }
}
