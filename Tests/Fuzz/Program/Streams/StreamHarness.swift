import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
@testable import HandoffDaemon

/// A stream whose other side the harness plays, with the right keys: what this device does with each piece, over the
/// radio and over the local network, has to be what ``StreamRules`` says.
///
/// It does what `StreamRelay` and `StreamNetwork` do, without tasks, sockets and time. Its first byte says whether this
/// device has an address to offer, and how the bytes of the peer are cut.
struct StreamHarness {
    private let isCaller: Bool
    private let handshakeHash: [UInt8]
    private let size: Int
    private var radio: NoiseSender
    private var receiver: StreamReceiver
    private var move: StreamMove
    private var rules: StreamRules
    /// What this device has sent over the radio and the peer has not taken, and the other way round.
    private var windows = (own: StreamWindow(), peer: StreamWindow())
    private var secret: NetworkSecret?
    private var connections: [StreamConnection] = []
    private var isStopped = false
    /// The plaintexts that were sent and not read yet, in order.
    private var sent: [[UInt8]] = []
    private var reached: Set<Milestone> = []

    private static let ownSecret = [UInt8](repeating: 1, count: NetworkOffer.secretBytes)

    /// Begins a stream.
    ///
    /// - Parameters:
    ///   - isCaller: whether this device is the caller of the session.
    ///   - sending: the peer's.
    ///   - receiver: this device's.
    init(
        isCaller: Bool,
        _ sending: NoiseSender,
        _ receiver: StreamReceiver,
        handshakeHash: [UInt8],
        _ input: inout FuzzInput
    ) {
        let options = input.byte()
        let hasOffered = options & 1 == 0
        self.isCaller = isCaller
        self.handshakeHash = handshakeHash
        size = options < 2 ? 65_535 : 1 + 16 * Int(options >> 1)
        radio = sending
        self.receiver = receiver
        move = StreamMove(isCaller: isCaller, hasOffered: hasOffered)
        rules = StreamRules(isCaller: isCaller, hasOffered: hasOffered)
    }

    /// Takes steps of the input until one ends the session; returns what was reached.
    consuming func run(_ input: inout FuzzInput) -> Set<Milestone> {
        while !input.isEmpty, perform(StreamStep(&input)) {}
        return reached
    }

    /// Performs a step; returns false when the session is over.
    private mutating func perform(_ step: StreamStep) -> Bool {
        switch step {
        case .plaintext(let bytes): return send(bytes)
        case .piece(let kind, let content, let isLate):
            return send(StreamStep.encode(kind: kind, completed(kind, content)), isLate: isLate)
        case .write: write()
        case .take: take()
        case .open where canConnect:
            guard let secret else { return true }
            let opener: NetworkSecret.Opener = isCaller ? .listener : .caller
            connections.append(StreamConnection(openedByPeer: secret, as: opener, number: connections.count))
        case .dial where canConnect:
            guard let secret else { return true }
            let opener: NetworkSecret.Opener = isCaller ? .caller : .listener
            connections.append(StreamConnection(opened: secret, as: opener, number: connections.count))
            prove(connections.count - 1)
        case .confirm(let number) where number < connections.count && connections[number].proven == nil:
            connections[number].confirm()
            prove(number)
        case .giveUp:
            perform(move.giveUp())
            rules.giveUp()
            precondition(move.isStaying == !rules.canMove, "it stays where it cannot move")
        case .open, .dial, .confirm: break
        }
        return drain()
    }

    /// As many as `StreamNetwork` keeps.
    private var canConnect: Bool { connections.count < 8 }

    /// Completes the data of a well-formed piece: a whole offer, or the identifier of a connection, of one byte.
    private func completed(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count == 1, let byte = content.first else { return content }
        switch kind {
        case 3 where byte == 0: return StreamPiece.offer(nil).data
        case 3:
            let secret = [UInt8](repeating: byte, count: NetworkOffer.secretBytes)
            let addresses = Self.addresses
            let offer = NetworkOffer(port: 40_000, secret: secret, addresses: addresses, hasAES: byte.isMultiple(of: 2))
            return StreamPiece.offer(offer).data
        case 4 where connections.indices.contains(Int(byte)): return connections[Int(byte)].id.bytes
        default: return content
        }
    }

    private static let addresses: [IPAddress] = [
        .v4(0xC0A8_0109), .v4(0x0808_0808), .v6(0xFE80_0000_0000_0000, 9), .v6(0x2001_0DB8_0000_0001, 9),
    ]

    // MARK: This device

    private mutating func write() {
        guard rules.hasRoom else {
            precondition(!windows.own.hasRoom, "a window has room for four pieces")
            return
        }
        if rules.ownMove == nil {
            precondition((try? windows.own.add()) != nil, "a window has room for four pieces")
        }
        rules.write()
    }

    private mutating func take() {
        let isTaken = (try? windows.peer.remove()) != nil
        precondition(isTaken == (rules.untaken > 0), "what has arrived can be taken, once")
        if isTaken { rules.take() }
    }

    private mutating func prove(_ number: Int) {
        let id = connections[number].id
        precondition(connections.filter { $0.id == id }.count == 1, "no two connections are the same")
        rules.prove(id)
        perform(move.prove(id))
    }

    private mutating func perform(_ actions: [StreamMove.Action]) {
        for action in actions {
            precondition(action == .stop || !isStopped || action.isReceive, "it does nothing more after it has stopped")
            switch action {
            case .connect(let offer): connect(offer)
            case .send(let id): precondition(id == rules.ownMove, "it moves where the rules say")
            case .receive(let id): receive(over: id)
            case .stop:
                precondition(!isStopped, "it stops once")
                isStopped = true
            }
        }
    }

    private mutating func connect(_ offer: NetworkOffer) {
        precondition(secret == nil && rules.isConnecting, "it connects once, with both offers")
        Self.check(NetworkCandidate.all(of: offer, own: Self.interfaces), of: offer)
        secret = NetworkSecret(
            caller: isCaller ? Self.ownSecret : offer.secret,
            listener: isCaller ? offer.secret : Self.ownSecret,
            handshakeHash: handshakeHash,
            cipher: offer.hasAES ? .aesGCM : .chaChaPoly
        )
    }

    private static let interfaces = [
        InterfaceAddress(.v4(0xC0A8_0107), prefixLength: 24, interface: 2),
        InterfaceAddress(.v6(0xFE80_0000_0000_0000, 7), prefixLength: 64, interface: 2),
        InterfaceAddress(.v4(0xCB00_7105), prefixLength: 24, interface: 3),
        InterfaceAddress(.v6(0xFE80_0000_0000_0000, 8), prefixLength: 64, interface: 3),
        InterfaceAddress(.v6(0x2001_0DB8_0000_0001, 5), prefixLength: 64, interface: 3),
    ]

    private static func check(_ candidates: [NetworkCandidate], of offer: NetworkOffer) {
        precondition(Set(candidates).count == candidates.count && candidates.count <= 16, "a connection to each, once")
        for candidate in candidates {
            let address = candidate.address
            precondition(offer.addresses.contains(address), "it connects to what was offered")
            precondition(interfaces.allSatisfy { $0.address != address }, "it does not connect to itself")
            precondition((candidate.interface != 0) == address.needsInterface, "a link-local address has an interface")
            let isNear = address.isPrivate || interfaces.contains { $0.network.contains(address) }
            precondition(isNear && address.isUnicast, "it connects to nothing but local networks")
        }
    }

    private mutating func receive(over id: NetworkConnectionID) {
        guard let number = connections.firstIndex(where: { $0.id == id }), let proven = connections[number].proven
        else {
            preconditionFailure("it moves to a connection that has proved itself")
        }
        precondition(rules.peerMove == id && rules.isOnNetwork, "it reads where the peer has moved")
        receiver = receiver.moved(to: proven.receiving)
    }

    // MARK: The peer

    /// Sends a plaintext where the peer sends now, or over the radio; returns false when the session is over.
    private mutating func send(_ plaintext: [UInt8], isLate: Bool = false) -> Bool {
        if let id = rules.peerMove, !isLate {
            guard let number = connections.firstIndex(where: { $0.id == id }) else { return false }
            guard let frame = connections[number].frame(plaintext) else { return false }
            connections[number].unread += frame
            sent.append(plaintext)
            return drain()
        }
        // What comes over the radio after a move is not read, unless it comes before the connection.
        guard !rules.isOnNetwork else { return true }
        guard let frame = (try? radio.encrypt(plaintext)).map(FrameCodec.encode) else { return false }
        sent.insert(plaintext, at: 0)
        return receive(frame)
    }

    /// Reads what has come over the connection, if that is where this device reads.
    private mutating func drain() -> Bool {
        guard rules.isOnNetwork, let number = connections.firstIndex(where: { $0.id == rules.peerMove }) else {
            return true
        }
        let bytes = connections[number].unread
        connections[number].unread = []
        return receive(bytes)
    }

    private mutating func receive(_ bytes: [UInt8]) -> Bool {
        for part in bytes.pieces(of: size) {
            guard (try? receiver.append(part)) != nil else {
                preconditionFailure("what is read at once does not fill the decoder")
            }
            while true {
                let wasOnNetwork = rules.isOnNetwork
                do {
                    guard let piece = try receiver.next() else { break }
                    precondition(piece.encode() == sent.first, "pieces arrive in order, and have one encoding")
                    guard take(sent.removeFirst(), piece, wasOnNetwork) else { return false }
                } catch {
                    let refused = try? StreamPiece(decoding: sent.first ?? [])
                    precondition(refused.map { rules.admit($0) } != true, "what the rules admit is accepted")
                    return false
                }
            }
        }
        precondition(sent.isEmpty || !connections.allSatisfy(\.unread.isEmpty), "nothing is left unread")
        return true
    }

    /// Does with a piece what a relay does; returns false when that ends the session.
    private mutating func take(_ plaintext: [UInt8], _ piece: StreamPiece, _ wasOnNetwork: Bool) -> Bool {
        let isAdmitted = rules.admit(piece)
        do {
            switch piece {
            case .data where !wasOnNetwork: try windows.peer.add()
            case .taken: try windows.own.remove()
            case .offer(let offer): perform(move.receive(offer))
            case .move(let id):
                let actions = try move.receiveMove(to: id)
                precondition(isAdmitted, "what the rules refuse is refused")
                rules.follow()
                reached.insert(rules.isOnNetwork ? .move : .pendingMove)
                perform(actions)
            case .data, .end, .arrived, .alive: break
            }
        } catch {
            precondition(!isAdmitted, "what the rules admit is accepted")
            return false
        }
        precondition(isAdmitted, "what the rules refuse is refused")
        if let milestone = Milestone(piece, overNetwork: wasOnNetwork) { reached.insert(milestone) }
        return true
    }
}

extension Milestone {
    fileprivate init?(_ piece: StreamPiece, overNetwork: Bool) {
        switch piece {
        case .data: self = overNetwork ? .networkData : .data
        case .end: self = overNetwork ? .networkEnd : .end
        case .arrived: self = overNetwork ? .networkArrived : .arrived
        case .offer(nil): self = .emptyOffer
        case .offer: self = .offer
        case .move: return nil
        case .alive: self = overNetwork ? .networkAlive : .alive
        case .taken: self = overNetwork ? .networkTaken : .taken
        }
    }
}

extension StreamPiece {
    /// The data of the encoded piece.
    fileprivate var data: [UInt8] {
        let bytes = encode()
        return Array(bytes[3..<(3 + (Int(bytes[1]) << 8 | Int(bytes[2])))])
    }
}

extension StreamMove.Action {
    fileprivate var isReceive: Bool {
        if case .receive = self { true } else { false }
    }
}
