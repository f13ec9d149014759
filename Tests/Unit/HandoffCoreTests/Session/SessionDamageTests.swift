import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Damaged bytes end a session, and never become an answer", .endsWithin(minutes: 10))
struct SessionDamageTests {
    @Test("no flipped bit of the first message introduces anybody")
    func firstMessage() throws {
        var talk = try SessionPair()
        let first = try talk.fetch.opened(by: talk.serve)
        for damaged in Damage.bitFlips(of: first) {
            var serve = talk.serve
            // A longer length makes it wait; anything else is refused.
            let introduced = try? serve.receiveRequest(damaged)
            #expect(introduced == nil)
        }
    }

    @Test("no flipped byte of the answer is taken for one", arguments: [200, 1024])
    func answer(_ weight: Int) throws {
        var talk = try SessionPair()
        let second = try talk.exchange(.activity(.weighing(weight))).second
        for index in second.indices {
            var (fetch, damaged) = (talk.fetch, second)
            damaged[index] ^= 1 << (index % 8)
            let answered = try? fetch.receive(damaged)
            #expect(answered == nil, "byte \(index)")
        }
    }

    @Test("no flipped byte in a later frame of a long answer is taken for one")
    func longAnswer() throws {
        var talk = try SessionPair()
        let second = try talk.exchange(.activity(.weighing(65_536))).second
        for index in stride(from: 20_000, to: second.count, by: 997) {
            var (fetch, damaged) = (talk.fetch, second)
            damaged[index] ^= 1 << (index % 8)
            let answered = try? fetch.receive(damaged)
            #expect(answered == nil, "byte \(index)")
        }
    }

    @Test("no flipped bit of the acknowledgement confirms anything")
    func acknowledgement() throws {
        var talk = try SessionPair()
        let second = try talk.exchange(.activity(.sample())).second
        let third = try talk.taking(second).acknowledgement
        for damaged in Damage.bitFlips(of: third) {
            var serve = talk.serve
            #expect((try? serve.acknowledge(damaged)) != true)
        }
    }

    @Test("what is cut off is waited for, and is no answer")
    func truncation() throws {
        var talk = try SessionPair()
        let serve = talk.serve
        let (first, second) = try talk.exchange(.activity(.sample()))
        for beginning in Damage.truncations(of: first) {
            var serve = serve
            #expect(try serve.receiveRequest(beginning) == nil)
        }
        for beginning in Damage.truncations(of: second) {
            var fetch = talk.fetch
            #expect(try fetch.receive(beginning) == nil)
        }
    }

    @Test("a stranger's frame is refused by its length alone, once it is too long for a first one")
    func oversizedFirstFrame() throws {
        for length in [ServerSession.maximumUnauthenticatedFrame + 1, 65_535] {
            var serve = try SessionPair().serve
            let header = [UInt8(length >> 8), UInt8(length & 0xFF)]
            #expect { try serve.receiveRequest(header) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
        }
    }

    @Test("a stranger who dribbles the longest first frame is judged when it is whole, and not later")
    func longestFirstFrame() throws {
        var serve = try SessionPair().serve
        let length = ServerSession.maximumUnauthenticatedFrame
        let frame = [UInt8(length >> 8), UInt8(length & 0xFF)] + [UInt8](repeating: 7, count: length)
        for byte in frame.dropLast() { #expect(try serve.receiveRequest([byte]) == nil) }
        #expect { try serve.receiveRequest([7]) } throws: { ($0 as? HandoffError)?.code == .notTrusted }
    }

    @Test("an empty frame, and bytes of chance, are refused", arguments: 0..<50)
    func noise(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let length = Int.random(in: 0...ServerSession.maximumUnauthenticatedFrame, using: &random)
        let bytes = [UInt8(length >> 8), UInt8(length & 0xFF)] + random.bytes(length)
        var talk = try SessionPair()
        _ = try talk.fetch.opened(by: talk.serve)
        #expect(throws: HandoffError.self) { _ = try talk.serve.receiveRequest(bytes) }
        #expect(throws: HandoffError.self) { _ = try talk.fetch.receive(bytes) }
    }

    @Test("an answer that never ends is given up at the largest size")
    func endlessAnswer() throws {
        // A peer that is trusted and sends more fragments than any answer has: by the handshake itself.
        let (asking, answering) = (DeviceKeys.generate(), DeviceKeys.generate())
        var fetch = ClientSession(keys: asking, peer: answering.publicKey, request: .fetch(try .sample()))
        let trial = try NoiseResponderTrial(localStatic: answering.agreement, candidates: [(1, asking.publicKey)])
        let greeting = SessionGreeting.random()
        let first = try #require(try fetch.open(FrameCodec.encode(greeting.bytes)))
        var handshake = try trial.match(Array(first.dropFirst(2)), prologue: greeting.prologue).handshake
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
