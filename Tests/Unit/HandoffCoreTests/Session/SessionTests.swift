import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Sessions between two devices", .endsWithin(minutes: 10))
struct SessionTests {
    private let caller = DeviceKeys.generate()
    private let origin = DeviceKeys.generate()
    private let type = "org.example.notes.editing"

    private func fetch(from peer: DeviceKeys? = nil) throws -> ClientSession {
        ClientSession(
            keys: caller,
            peer: (peer ?? origin).publicKeys,
            request: .fetch(FetchRequest(number: .at(7)))
        )
    }

    private func serve(
        trusting devices: [DeviceKeys]? = nil,
        greeting: SessionGreeting = .random()
    ) throws -> ServerSession {
        let trial = try SessionTrial(origin, devices: (devices ?? [caller]).map(\.publicKeys))
        return ServerSession(trial: trial, greeting: greeting)
    }

    private func payload(_ bytes: Int) throws -> Activity {
        try activity(type, ["data": .data([UInt8](repeating: 7, count: bytes))])
    }

    /// Feeds bytes in pieces of that size until there is a result.
    private func feed<Result>(_ bytes: [UInt8], by size: Int, _ take: ([UInt8]) throws -> Result?) rethrows -> Result? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            if let result = try take(piece) { return result }
        }
        return nil
    }

    @Test(
        "A session transfers the activity, in pieces of any size",
        arguments: [1, 2, 7, 23, 100, 672, 100_000],
        [0, 1000, 65_000]
    )
    func exchange(piece: Int, size: Int) throws {
        let sent = try payload(size)
        var fetch = try fetch()
        var serve = try serve()
        let introduction = try #require(
            try feed(try fetch.opened(by: serve), by: piece) { try serve.receiveRequest($0) }
        )
        #expect(introduction.device == caller.publicKeys.device)
        #expect(introduction.request == .fetch(FetchRequest(number: .at(7))))
        let answered = try #require(try feed(try serve.answer(.activity(sent)), by: piece) { try fetch.receive($0) })
        #expect(answered.answer == .activity(sent))
        let isAcknowledged = try feed(try fetch.acknowledge(), by: piece) { try serve.acknowledge($0) ? true : nil }
        #expect(isAcknowledged == true)
    }

    @Test("A session transfers a refusal with its reason")
    func refusal() throws {
        var fetch = try fetch()
        var serve = try serve()
        _ = try serve.receiveRequest(try fetch.opened(by: serve))
        let refusal = Answer.refusal(Refusal(.noLongerCurrent, "gone"))
        #expect(try fetch.receive(try serve.answer(refusal))?.answer == refusal)
    }

    @Test("A newer caller gets a refusal if its request is not understood")
    func newerCaller() throws {
        let greeting = SessionGreeting.random()
        var handshake = NoiseHandshake.calling(origin.publicKeys, as: caller, after: greeting)
        // Field 15, which this version does not know, with an empty message.
        let fragment = MessageFragmenter().fragments(of: MessagePadding.pad([0x7A, 0x00]))[0]
        var serve = try serve(greeting: greeting)
        let introduction = try serve.receiveRequest(FrameCodec.encode(try handshake.writeMessage(fragment)))
        #expect(introduction?.device == caller.publicKeys.device)
        #expect(introduction?.request == nil)
        let refusal = Answer.refusal(Refusal(.notUnderstood, "older"))
        let answer = Array(try serve.answer(refusal).dropFirst(2))
        let padded = Array(try handshake.readMessage(answer).dropFirst())
        #expect(try Answer(decoding: try MessagePadding.unpad(padded)) == refusal)
    }

    @Test("A request that breaks a rule introduces the caller, so that it can be told that it is not understood")
    func malformedRequest() throws {
        for message in [[0x0A, 2, 0x0A, 0], [0x0A, 0x7F], [0x22, 0]] as [[UInt8]] {
            let greeting = SessionGreeting.random()
            var handshake = NoiseHandshake.calling(origin.publicKeys, as: caller, after: greeting)
            var serve = try serve(greeting: greeting)
            let fragment = [0] + MessagePadding.pad(message)
            let introduction = try serve.receiveRequest(FrameCodec.encode(try handshake.writeMessage(fragment)))
            #expect(introduction?.device == caller.publicKeys.device)
            #expect(introduction?.request == nil)
        }
    }

    @Test("A request without padding, with a padding that is not zero, or cut in two, ends the session")
    func badPadding() throws {
        let request = Request.circle(CircleRequest(digest: [UInt8](repeating: 7, count: 32))).encode()
        var dirty = MessagePadding.pad(request)
        dirty[63] = 1
        for fragment in [[0] + request, [0] + dirty, [1] + MessagePadding.pad(request)] {
            let greeting = SessionGreeting.random()
            var handshake = NoiseHandshake.calling(origin.publicKeys, as: caller, after: greeting)
            var serve = try serve(greeting: greeting)
            let frame = FrameCodec.encode(try handshake.writeMessage(fragment))
            #expect { try serve.receiveRequest(frame) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
        }
    }

    @Test("An acknowledgement may take several fragments", arguments: [2, 16, 40])
    func cutAcknowledgement(fragmentBytes: Int) throws {
        let greeting = SessionGreeting.random()
        var handshake = NoiseHandshake.calling(origin.publicKeys, as: caller, after: greeting)
        var serve = try serve(greeting: greeting)
        let request = Request.fetch(FetchRequest(number: .at(7))).encode()
        let first = FrameCodec.encode(try handshake.writeMessage([0] + MessagePadding.pad(request)))
        #expect(try serve.receiveRequest(first) != nil)
        _ = try handshake.readMessage(Array(try serve.answer(.activity(try payload(10))).dropFirst(2)))
        var transport = try handshake.split()
        let padded = MessagePadding.pad(Acknowledgement().encode())
        let fragments = MessageFragmenter(fragmentBytes: fragmentBytes).fragments(of: padded)
        for fragment in fragments.dropLast() {
            #expect(try serve.acknowledge(FrameCodec.encode(try transport.encrypt(fragment))) == false)
        }
        let last = FrameCodec.encode(try transport.encrypt(try #require(fragments.last)))
        #expect(try serve.acknowledge(last))
    }

    @Test("A message out of turn ends the session, on either side and in every state")
    func outOfTurn() throws {
        var fetch = try fetch()
        var serve = try serve()
        let more = serve.greeting
        func isRefused(_ receive: () throws -> Void) {
            #expect { try receive() } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
        }
        #expect(try serve.receiveRequest(try fetch.opened(by: serve)) != nil)
        var preparing = serve
        isRefused { _ = try preparing.acknowledge(more) }
        let answer = try serve.answer(.activity(try payload(10)))
        #expect(try fetch.receive(answer) != nil)
        var judging = fetch
        isRefused { _ = try judging.receive(more) }
        #expect(try serve.acknowledge(try fetch.acknowledge()))
        isRefused { _ = try fetch.receive(more) }
        isRefused { _ = try serve.acknowledge(more) }
    }

    @Test("A session costs at most 1.15 times the payload and 300 bytes for an activity of 1 KB, padding apart")
    func cost() throws {
        let sent = try payload(1000)
        var fetch = try fetch()
        var serve = try serve()
        let opening = try fetch.opened(by: serve)
        _ = try serve.receiveRequest(opening)
        let answer = try serve.answer(.activity(sent), circleDigest: [UInt8](repeating: 8, count: 32))
        #expect(try fetch.receive(answer) != nil)
        let total = serve.greeting.count + opening.count + answer.count + (try fetch.acknowledge()).count
        let messages = [
            Request.fetch(FetchRequest(number: .at(7))).encode(),
            AnswerEnvelope(.activity(sent), circleDigest: [UInt8](repeating: 8, count: 32)).encode(),
            Acknowledgement().encode(),
        ]
        #expect(messages.map { MessagePadding.size(of: $0.count) } == [64, 2048, 64])
        let padding = messages.reduce(0) { $0 + MessagePadding.size(of: $1.count) - $1.count }
        #expect(Double(total - padding) <= 1.15 * Double(sent.encodedSize) + 300)
    }

    @Test("A session finds the caller among many devices")
    func many() throws {
        let others = (0..<20).map { _ in DeviceKeys.generate() }
        var fetch = try fetch()
        var serve = try serve(trusting: others + [caller])
        #expect(try serve.receiveRequest(try fetch.opened(by: serve))?.device == caller.publicKeys.device)
    }

    @Test("A session is refused to an unknown device, and to a caller that expects another device")
    func strangers() throws {
        var fetch = try fetch()
        var serve = try serve(trusting: [DeviceKeys.generate()])
        let opening = try fetch.opened(by: serve)
        let unknown = #expect(throws: HandoffError.self) { _ = try serve.receiveRequest(opening) }
        #expect(unknown?.code == .notTrusted)

        var mistaken = try self.fetch(from: DeviceKeys.generate())
        var honest = try self.serve()
        let misdirected = try mistaken.opened(by: honest)
        let mistake = #expect(throws: HandoffError.self) { _ = try honest.receiveRequest(misdirected) }
        #expect(mistake?.code == .notTrusted)
    }

    @Test("A replayed session is refused like an unknown device's")
    func replay() throws {
        var fetch = try fetch()
        var first = try serve()
        let opening = try fetch.opened(by: first)
        _ = try first.receiveRequest(opening)
        var replayed = try serve()
        let error = #expect(throws: HandoffError.self) { _ = try replayed.receiveRequest(opening) }
        #expect(error?.code == .notTrusted)
    }

    @Test("A session does not begin before the listener's greeting is complete, and not with another length")
    func greeting() throws {
        let bytes = try serve().greeting
        var fetch = try fetch()
        for byte in bytes.dropLast() { #expect(try fetch.open([byte]) == nil) }
        #expect(try fetch.open(bytes.suffix(1)) != nil)
        for length in [0, 15, 17, 1000] {
            var fetch = try self.fetch()
            let error = #expect(throws: HandoffError.self) {
                _ = try fetch.open([UInt8(length >> 8), UInt8(length & 0xFF)] + [UInt8](repeating: 1, count: length))
            }
            #expect(error?.code == .peerMisbehaved)
        }
    }

    @Test("A session never has a wrong result when a byte of any message was changed")
    func corruption() throws {
        var fetch = try fetch()
        let greeted = try serve()
        let opening = try fetch.opened(by: greeted)
        for index in opening.indices {
            var damaged = opening
            damaged[index] ^= 0x41
            var serve = greeted
            let request = try? serve.receiveRequest(damaged)
            #expect(request == nil, "byte \(index) of the opening")
        }
        var serve = greeted
        _ = try serve.receiveRequest(opening)
        let answer = try serve.answer(.activity(try payload(20)))
        for index in answer.indices {
            var damaged = answer
            damaged[index] ^= 0x41
            var copy = fetch
            let answered = try? copy.receive(damaged)
            #expect(answered == nil, "byte \(index) of the answer")
        }
        #expect(try fetch.receive(answer) != nil)
        let acknowledgement = try fetch.acknowledge()
        for index in acknowledgement.indices {
            var damaged = acknowledgement
            damaged[index] ^= 0x41
            var copy = serve
            let isAcknowledged = (try? copy.acknowledge(damaged)) ?? false
            #expect(!isAcknowledged, "byte \(index) of the acknowledgement")
        }
    }

    @Test("A first frame that is too long ends the session before the frame has arrived")
    func oversized() throws {
        var serve = try serve()
        let tooLong = UInt16(ServerSession.maximumUnauthenticatedFrame + 1)
        let error = #expect(throws: HandoffError.self) {
            _ = try serve.receiveRequest([UInt8(tooLong >> 8), UInt8(tooLong & 0xFF)])
        }
        #expect(error?.code == .peerMisbehaved)
    }

    @Test("A session survives any first bytes from any peer", arguments: 0..<300)
    func noise(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var serve = try serve()
        let request = try? serve.receiveRequest(random.bytes(Int.random(in: 0...2000, using: &random)))
        #expect(request == nil)
        var fetch = try fetch()
        _ = try fetch.opened(by: serve)
        let answered = try? fetch.receive(random.bytes(Int.random(in: 0...2000, using: &random)))
        #expect(answered == nil)
    }
}
