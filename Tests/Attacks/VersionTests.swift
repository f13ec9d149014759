import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A newer peer is reported as such, and no peer can force an older version", .endsWithin(minutes: 10))
struct VersionTests {
    private let caller = DeviceKeys.generate()
    private let listener = DeviceKeys.generate()

    private let greeting = SessionGreeting.random()

    private var server: ServerSession {
        get throws {
            ServerSession(
                trial: try SessionTrial(listener, devices: [caller.publicKeys]),
                greeting: greeting
            )
        }
    }

    private func handshake(_ label: String = "handoffd v2 session") -> NoiseHandshake {
        .initiator(
            localStatic: caller.agreement,
            remoteStatic: listener.publicKeys.agreement,
            prologue: Array(label.utf8) + greeting.bytes + caller.publicKeys.rawRepresentation
                + listener.publicKeys.rawRepresentation
        )
    }

    @Test("A session with another version is refused", arguments: ["handoffd v1 session", "handoffd v3 session"])
    func prologue(_ other: String) throws {
        var session = try server
        var newer = handshake(other)
        let first = FrameCodec.encode(
            try newer.writeMessage([0] + MessagePadding.pad([0x0A, 7, 0x0A, 5, 1, 2, 3, 4, 5]))
        )
        #expect { try session.receiveRequest(first) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
    }

    @Test("An unknown request of a newer initiator authenticates it and is left to the responder to refuse")
    func newerRequest() throws {
        var session = try server
        var newer = handshake()
        // Field 15 of length 1, a kind of request that does not exist.
        let first = FrameCodec.encode(try newer.writeMessage([0] + MessagePadding.pad([0x7A, 1, 0])))
        let introduction = try #require(try session.receiveRequest(first))
        #expect(introduction.device == caller.publicKeys.device)
        #expect(introduction.request == nil)
    }

    @Test("An unknown answer of a newer responder is an error that names the device to update")
    func newerAnswer() throws {
        let request = Request.stream(StreamRequest(activity: 1))
        var fetch = ClientSession(keys: caller, peer: listener.publicKeys, request: request)
        let trial = try SessionTrial(listener, devices: [caller.publicKeys])
        let first = try #require(try fetch.open(FrameCodec.encode(greeting.bytes)))
        var handshake = try trial.match(Array(first.dropFirst(2)), greeting: greeting).handshake
        let answer = FrameCodec.encode(try handshake.writeMessage([0] + MessagePadding.pad([0x7A, 1, 0])))
        #expect { try fetch.receive(answer) } throws: { error in
            (error as? HandoffError)?.message.contains("update this one") == true
        }
    }
}
