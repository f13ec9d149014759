import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A session that becomes a stream", .endsWithin(minutes: 10))
struct StreamTests {
    /// Both sides after the acknowledgement of the answer that grants the stream.
    private func granted() throws -> SessionPair {
        var pair = try SessionPair(request: .stream(StreamRequest(activity: 7)))
        let (_, second) = try pair.exchange(.stream)
        let answered = try pair.taking(second)
        #expect(answered.answer == .stream)
        #expect(try pair.serve.acknowledge(try pair.fetch.acknowledge()))
        return pair
    }

    /// Both sides after the app has accepted the stream.
    private func begun() throws -> (caller: StreamDirections, listener: StreamDirections) {
        var pair = try granted()
        #expect(try pair.fetch.receiveOpening(try pair.serve.open(.stream)) == .stream)
        return (pair.fetch.stream(), pair.serve.stream())
    }

    /// Both sides after the offers.
    private func opened() throws -> (caller: StreamDirections, listener: StreamDirections) {
        var (caller, listener) = try begun()
        try listener.receiving.append(try caller.sending.encode(.offer(nil)))
        try caller.receiving.append(try listener.sending.encode(.offer(nil)))
        #expect(try listener.receiving.next() == .offer(nil))
        #expect(try caller.receiving.next() == .offer(nil))
        return (caller, listener)
    }

    @Test("Both sides of a stream know the same session, to which connections over the network are bound")
    func sameHandshake() throws {
        let (caller, listener) = try begun()
        #expect(caller.handshakeHash == listener.handshakeHash)
        #expect(try begun().caller.handshakeHash != caller.handshakeHash)
    }

    @Test(
        "A stream refuses pieces before its offer, a second offer, and over the radio one that is too long for it",
        arguments: [
            [StreamPiece.data([1])], [.end], [.arrived], [.move(connection)], [.offer(nil), .offer(nil)],
            [.alive], [.taken], [.offer(nil), .data([UInt8](repeating: 1, count: 8193))],
        ]
    )
    func opening(_ pieces: [StreamPiece]) throws {
        var (caller, listener) = try begun()
        for piece in pieces { try listener.receiving.append(try caller.sending.encode(piece)) }
        for _ in pieces.dropLast() { #expect(try listener.receiving.next() != nil) }
        let last = Result { try listener.receiving.next() }
        #expect(throws: HandoffError.self) { try last.get() }
    }

    @Test("Nothing follows a move over the radio", arguments: [StreamPiece.data([1]), .end, .move(connection)])
    func afterMove(_ piece: StreamPiece) throws {
        var (caller, listener) = try opened()
        for piece in [.move(Self.connection), piece] { try listener.receiving.append(try caller.sending.encode(piece)) }
        #expect(try listener.receiving.next() == .move(Self.connection))
        let last = Result { try listener.receiving.next() }
        #expect(throws: HandoffError.self) { try last.get() }
    }

    @Test("A stream that has moved goes on where it was, with longer pieces, and neither offers nor moves again")
    func moved() throws {
        var (caller, listener) = try opened()
        for piece in [StreamPiece.data([1]), .move(Self.connection)] {
            try listener.receiving.append(try caller.sending.encode(piece))
            #expect(try listener.receiving.next() == piece)
        }
        let (opening, accepted) = try NetworkPair().proven
        var sender = StreamSender(cipher: opening.sending)
        let onNetwork = listener.receiving.moved(to: accepted.receiving)
        var receiver = onNetwork
        let long = [UInt8](repeating: 7, count: StreamPiece.maximumNetworkDataBytes)
        for piece in [StreamPiece.data(long), .alive, .end, .alive, .arrived, .alive] {
            try receiver.append(try sender.encode(piece))
            #expect(try receiver.next() == piece)
        }
        for refused in [StreamPiece.offer(nil), .move(Self.connection), .arrived] {
            var (sender, receiver) = (StreamSender(cipher: opening.sending), onNetwork)
            try receiver.append(try sender.encode(refused))
            let read = Result { try receiver.next() }
            #expect(throws: HandoffError.self) { try read.get() }
        }
    }

    @Test(
        "Over the network data becomes full pieces and one of the rest, and comes out the same however it is read",
        arguments: [1, 65_468, 65_469, 65_470, 4 * 65_469, 261_877]
    )
    func longData(count: Int) throws {
        let (opening, accepted) = try NetworkPair().proven
        var sender = StreamSender(cipher: opening.sending)
        let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 >> 3) }
        let bytes = try sender.encode(data: data, atMost: StreamPiece.maximumNetworkDataBytes)
        let next = try sender.encode(.alive)
        for size in [count + 1000, 65_535, 100_000] {
            var (caller, listener) = try opened()
            try listener.receiving.append(try caller.sending.encode(.move(Self.connection)))
            _ = try listener.receiving.next()
            var receiver = listener.receiving.moved(to: accepted.receiving)
            var pieces: [[UInt8]] = []
            for part in (bytes + next).pieces(of: min(size, StreamReceiver.networkReadBytes)) {
                try receiver.append(part)
                while case .data(let piece)? = try receiver.next() { pieces.append(piece) }
            }
            #expect(pieces.map(\.count).dropLast().allSatisfy { $0 == StreamPiece.maximumNetworkDataBytes })
            #expect(Array(pieces.joined()) == data)
        }
    }

    private static let connection = NetworkConnectionID(bytes: [UInt8](repeating: 9, count: 16))!

    @Test("The caller learns the reason of an app that does not accept the stream")
    func refused() throws {
        var pair = try granted()
        let refusal = Answer.refusal(Refusal(.internal, "It has one."))
        let bytes = try pair.serve.open(refusal)
        #expect(try pair.fetch.receiveOpening(Array(bytes.prefix(100))) == nil)
        #expect(try pair.fetch.receiveOpening(Array(bytes.dropFirst(100))) == refusal)
    }

    @Test("A stream transfers pieces in both directions, split anywhere")
    func pieces() throws {
        var (caller, listener) = try opened()
        let sent: [StreamPiece] = [
            .data([1, 2, 3]), .taken, .data([UInt8](repeating: 9, count: 8192)), .alive, .end, .taken, .arrived,
        ]
        let there = try sent.flatMap { try caller.sending.encode($0) }
        for size in [1, 23, 672, 20_000] {
            var receiver = listener.receiving
            var read: [StreamPiece] = []
            for piece in there.pieces(of: size) {
                try receiver.append(piece)
                while let next = try receiver.next() { read.append(next) }
            }
            #expect(read == sent)
        }
        try caller.receiving.append(try listener.sending.encode(.end))
        #expect(try caller.receiving.next() == .end)
    }

    @Test(
        "A stream refuses pieces after its end",
        arguments: [
            [StreamPiece.end, .data([1])], [.end, .end], [.arrived], [.end, .arrived, .arrived],
            [.data([1]), .arrived], [.end, .arrived, .taken],
        ]
    )
    func order(_ pieces: [StreamPiece]) throws {
        var (caller, listener) = try opened()
        for piece in pieces { try listener.receiving.append(try caller.sending.encode(piece)) }
        for _ in pieces.dropLast() { #expect(try listener.receiving.next() != nil) }
        let last = Result { try listener.receiving.next() }
        #expect(throws: HandoffError.self) { try last.get() }
    }

    @Test("A key that a user has pressed, a line of text, an end and its confirmation have one length")
    func lengths() throws {
        var (caller, _) = try opened()
        let pieces: [StreamPiece] = [.data([1]), .data([UInt8](repeating: 65, count: 61)), .end, .arrived]
        #expect(Set(try pieces.map { try caller.sending.encode($0).count }) == [2 + 64 + 16])
    }

    @Test("A stream refuses pieces that are repeated, left out, or changed")
    func damage() throws {
        let (caller, listener) = try opened()
        var sender = caller.sending
        let (one, two) = (try sender.encode(.data([1])), try sender.encode(.data([2])))
        var changed = one
        changed[5] ^= 1
        for bytes in [one + one, two, changed] {
            var receiver = listener.receiving
            try receiver.append(bytes)
            let read = Result {
                while try receiver.next() != nil {}
            }
            #expect(throws: HandoffError.self) { try read.get() }
        }
    }
}

@Suite("Stream tokens", .endsWithin(minutes: 10))
struct StreamTokensTests {
    private let tokens = StreamTokens(key: StreamTokenKey(bytes: [UInt8](0..<32)))
    private let device = DeviceID(number: 1)

    @Test("A stream token leads back to its activity, for the device that took it and in the same run only")
    func leadsBack() {
        let token = tokens.token(of: 42, for: device)
        #expect(tokens.activity(named: token, by: device, among: [7, 42]) == 42)
        #expect(tokens.activity(named: token, by: device, among: [7]) == nil)
        #expect(tokens.activity(named: token, by: DeviceID(number: 2), among: [7, 42]) == nil)
        #expect(tokens.activity(named: 42, by: device, among: [7, 42]) == nil)
        let restarted = StreamTokens(key: StreamTokenKey(bytes: [UInt8](1..<33)))
        #expect(restarted.activity(named: token, by: device, among: [7, 42]) == nil)
    }

    @Test("The tokens of activities that follow each other have nothing in common")
    func unrelated() {
        let all = (UInt64(1)...64).map { tokens.token(of: ActivityID(rawValue: $0), for: device) }
        #expect(Set(all).count == 64)
        #expect(Set(all.map { $0 >> 32 }).count == 64 && Set(all.map { $0 & 0xFFFF_FFFF }).count == 64)
    }
}
