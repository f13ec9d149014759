import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Damaged bytes end a session and are never accepted as an answer", .endsWithin(minutes: 10))
struct SessionDamageTests {
    @Test("A first message with a flipped bit introduces no caller")
    func firstMessage() throws {
        var pair = try SessionPair()
        let first = try pair.fetch.opened(by: pair.serve)
        for damaged in Damage.bitFlips(of: first) {
            var serve = pair.serve
            // A greater length makes it wait; anything else is refused.
            let introduced = try? serve.receiveRequest(damaged)
            #expect(introduced == nil)
        }
    }

    @Test("An answer with a damaged byte is not accepted", arguments: [200, 1024])
    func answer(_ weight: Int) throws {
        var pair = try SessionPair()
        let second = try pair.exchange(.activity(.weighing(weight))).second
        for index in second.indices {
            var (fetch, damaged) = (pair.fetch, second)
            damaged[index] ^= 1 << (index % 8)
            let answered = try? fetch.receive(damaged)
            #expect(answered == nil, "byte \(index)")
        }
    }

    @Test("A long answer with a damaged byte in a later frame is not accepted")
    func longAnswer() throws {
        var pair = try SessionPair()
        let second = try pair.exchange(.activity(.weighing(65_536))).second
        for index in stride(from: 20_000, to: second.count, by: 997) {
            var (fetch, damaged) = (pair.fetch, second)
            damaged[index] ^= 1 << (index % 8)
            let answered = try? fetch.receive(damaged)
            #expect(answered == nil, "byte \(index)")
        }
    }

    @Test("An acknowledgement with a flipped bit confirms nothing")
    func acknowledgement() throws {
        var pair = try SessionPair()
        let second = try pair.exchange(.activity(.sample())).second
        _ = try pair.taking(second)
        let third = try pair.fetch.acknowledge()
        for damaged in Damage.bitFlips(of: third) {
            var serve = pair.serve
            #expect((try? serve.acknowledge(damaged)) != true)
        }
    }

    @Test("The rest of a truncated message is waited for, and the message is not an answer")
    func truncation() throws {
        var pair = try SessionPair()
        let serve = pair.serve
        let (first, second) = try pair.exchange(.activity(.sample()))
        for beginning in Damage.truncations(of: first) {
            var serve = serve
            #expect(try serve.receiveRequest(beginning) == nil)
        }
        for beginning in Damage.truncations(of: second) {
            var fetch = pair.fetch
            #expect(try fetch.receive(beginning) == nil)
        }
    }

    @Test("A frame of an unauthenticated peer is refused by its length alone if it is too long for a first one")
    func oversizedFirstFrame() throws {
        for length in [ServerSession.maximumUnauthenticatedFrame + 1, 65_535] {
            var serve = try SessionPair().serve
            let header = [UInt8(length >> 8), UInt8(length & 0xFF)]
            #expect { try serve.receiveRequest(header) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
        }
    }

    @Test("The longest first frame, sent byte by byte, is judged when it is complete, and not later")
    func longestFirstFrame() throws {
        var serve = try SessionPair().serve
        let length = ServerSession.maximumUnauthenticatedFrame
        let frame = [UInt8(length >> 8), UInt8(length & 0xFF)] + [UInt8](repeating: 7, count: length)
        for byte in frame.dropLast() { #expect(try serve.receiveRequest([byte]) == nil) }
        #expect { try serve.receiveRequest([7]) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
    }

    @Test("An empty frame and random bytes are refused", arguments: 0..<50)
    func noise(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let length = Int.random(in: 0...ServerSession.maximumUnauthenticatedFrame, using: &random)
        let bytes = [UInt8(length >> 8), UInt8(length & 0xFF)] + random.bytes(length)
        var pair = try SessionPair()
        _ = try pair.fetch.opened(by: pair.serve)
        #expect(throws: HandoffError.self) { _ = try pair.serve.receiveRequest(bytes) }
        #expect(throws: HandoffError.self) { _ = try pair.fetch.receive(bytes) }
    }

    @Test("An answer that never ends is refused at the largest size")
    func endlessAnswer() throws {
        // A trusted peer that sends more fragments than any answer has, written with the handshake itself.
        let (asking, answering) = (DeviceKeys.generate(), DeviceKeys.generate())
        var fetch = ClientSession(keys: asking, peer: answering.publicKeys, request: .fetch(try .sample()))
        let trial = try SessionTrial(answering, devices: [asking.publicKeys])
        let greeting = SessionGreeting.random()
        let first = try #require(try fetch.open(FrameCodec.encode(greeting.bytes)))
        var handshake = try trial.match(Array(first.dropFirst(2)), greeting: greeting).handshake
        let more = [UInt8(1)] + [UInt8](repeating: 0, count: 16_000)
        #expect(try fetch.receive(FrameCodec.encode(try handshake.writeMessage(more))) == nil)
        var transport = try handshake.split()
        var frames = 1
        #expect(throws: HandoffError.self) {
            while frames < 100 {
                frames += 1
                _ = try fetch.receive(FrameCodec.encode(try transport.encrypt(more)))
            }
        }
        #expect(frames <= Answer.maximumBytes / 16_000 + 1)
    }
}
