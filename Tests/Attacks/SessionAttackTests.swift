import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("A session is with the intended device, or fails", .endsWithin(minutes: 10))
struct SessionAttackTests {
    /// The responder of a device that trusts `devices`.
    private static func server(_ keys: DeviceKeys, trusting devices: [DeviceKeys]) throws -> ServerSession {
        ServerSession(
            trial: try SessionTrial(keys, devices: devices.map(\.publicKeys))
        )
    }

    private static func call(_ caller: DeviceKeys, to peer: DeviceKeys) throws -> ClientSession {
        let request = FetchRequest(number: .some)
        return ClientSession(keys: caller, peer: peer.publicKeys, request: .fetch(request))
    }

    @Test("A session that is redirected to another device of the same user is refused by both")
    func misbinding() throws {
        let (desk, phone) = (PublishedVerification(), PublishedVerification())
        let call = PublishedVerification.call()
        // The session is meant for the desk and redirected to the phone.
        let proof = try phone.answer(call)
        let known = [desk.publicKey, phone.publicKey]
        let model = try PublishedVerification.identify(proof, to: call, among: known)

        let (caller, intended, other) = (DeviceKeys.generate(), DeviceKeys.generate(), DeviceKeys.generate())
        var redirected = try Self.call(caller, to: intended)
        var wrong = try Self.server(other, trusting: [caller, intended])
        let first = try #require(try redirected.open(wrong.greeting))
        #expect { try wrong.receiveRequest(first) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
        // The other device answers in its own session with the caller, and that answer is redirected too.
        var own = try Self.call(caller, to: other)
        _ = try wrongAnswer(to: &own, by: other, from: caller, redirected: &redirected)
        measured(
            .misbinding,
            onModel: model == phone.publicKey ? "accepted as a session with the phone" : "refused",
            here: "refused by both sides"
        )
    }

    private func wrongAnswer(
        to own: inout ClientSession,
        by other: DeviceKeys,
        from caller: DeviceKeys,
        redirected: inout ClientSession
    ) throws -> Bool {
        var server = try Self.server(other, trusting: [caller])
        let introduced = try server.receiveRequest(try #require(try own.open(server.greeting)))
        #expect(introduced != nil)
        let answer = try server.answer(.refusal(Refusal(.busy, "another session")))
        var session = redirected
        #expect { try session.receive(answer) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
        return true
    }

    @Test("A device whose own messages are reflected to it refuses them")
    func reflection() throws {
        let (caller, peer) = (DeviceKeys.generate(), DeviceKeys.generate())
        var session = try Self.call(caller, to: peer)
        var own = try Self.server(caller, trusting: [peer])
        let first = try #require(try session.open(own.greeting))
        #expect { try own.receiveRequest(first) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
        #expect { try session.receive(first) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }

    @Test("A link-layer bond gives no rights: a frame is answered only after the first message of a valid handshake")
    func linkBond() throws {
        // The attacker has everything that link-layer pairing provides, and no part of a session depends on it.
        let (device, trusted) = (DeviceKeys.generate(), DeviceKeys.generate())
        var random = SeededRandom(seed: 16)
        var answered = 0
        for length in 0..<300 {
            var server = try Self.server(device, trusting: [trusted])
            let frame = FrameCodec.encode([UInt8](random.bytes(length + 1)))
            let introduced = try? server.receiveRequest(frame)
            if introduced != nil { answered += 1 }
        }
        #expect(answered == 0)
        measured(
            .linkReconnection,
            onModel: "an unencrypted reconnection is served",
            here: "\(answered) of 300 frames of an unauthenticated peer are answered"
        )
    }

    @Test("A recorded first message recognizes no device, on whatever channel and however soon it is sent again")
    func recordedFirstMessage() throws {
        let (caller, peer) = (DeviceKeys.generate(), DeviceKeys.generate())
        // Version 1 had no greeting: all sessions of a listener began alike.
        let fixed = try #require(SessionGreeting(bytes: [UInt8](repeating: 0, count: SessionGreeting.byteCount)))
        func replays(_ greeting: () -> SessionGreeting) throws -> Int {
            let trial = try SessionTrial(peer, devices: [caller.publicKeys])
            let first = ServerSession(trial: trial, greeting: greeting())
            var session = try Self.call(caller, to: peer)
            let recorded = try #require(try session.open(first.greeting))
            return (0..<100).count { _ in
                var again = ServerSession(trial: trial, greeting: greeting())
                return (try? again.receiveRequest(recorded)) != nil
            }
        }
        measured(
            .recordedFirstMessage,
            onModel: "answers \(try replays { fixed }) of 100 replays",
            here: "answers \(try replays { .random() }) of 100"
        )
    }

    @Test("A frame that is too long is refused before memory is reserved for it")
    func lengths() throws {
        var frames = PublishedFrames()
        _ = frames.append([8, 0xFF, 0xFF, 0xFF])
        var server = try Self.server(.generate(), trusting: [.generate()])
        #expect { try server.receiveRequest([0xFF, 0xFF]) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
        measured(
            .malformedFrames,
            onModel: "\(frames.awaited) bytes awaited from an unauthenticated peer",
            here: "refused at the second byte; \(ServerSession.maximumUnauthenticatedFrame) bytes at most"
        )
    }
}
