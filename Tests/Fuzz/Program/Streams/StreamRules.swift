import HandoffWire

/// What the rules of Docs/Protocol.md ("Streams") admit from the other side of a stream, written a second time.
struct StreamRules {
    /// Whether this device is the caller of the session.
    let isCaller: Bool
    /// Whether this device has offered an address.
    let hasOffered: Bool

    /// How many data pieces over the radio the app of this device has not taken yet.
    private(set) var untaken = 0
    /// How many pieces this device has sent over the radio of which the peer has not said that they were taken.
    private(set) var unconfirmed = 0
    /// The connection to which the peer has moved.
    private(set) var peerMove: NetworkConnectionID?
    /// The connection to which this device has moved.
    private(set) var ownMove: NetworkConnectionID?
    /// Whether what the peer sends is read from its connection.
    private(set) var isOnNetwork = false

    private var hasPeerOffered = false
    /// Whether the stream may still move, or has moved.
    private(set) var canMove: Bool
    private var hasEnded = false
    private var hasArrived = false
    private var proven: [NetworkConnectionID] = []

    init(isCaller: Bool, hasOffered: Bool) {
        self.isCaller = isCaller
        self.hasOffered = hasOffered
        canMove = hasOffered
    }

    /// Whether this device may send another data piece.
    var hasRoom: Bool { ownMove != nil || unconfirmed < 4 }

    /// Takes note of a piece of the peer; returns false for one that ends the session.
    mutating func admit(_ piece: StreamPiece) -> Bool {
        guard isOnNetwork || peerMove == nil else { return false }
        if case .offer(let offer) = piece { return admit(offer) }
        guard hasPeerOffered else { return false }
        switch piece {
        case .data(let bytes): return admit(bytes)
        case .end:
            defer { hasEnded = true }
            return !hasEnded
        case .arrived:
            defer { hasArrived = true }
            return hasEnded && !hasArrived
        case .move(let connection): return admitMove(to: connection)
        case .alive: return true
        case .taken:
            guard !hasArrived, unconfirmed > 0 else { return false }
            unconfirmed -= 1
            return true
        case .offer: return false
        }
    }

    private mutating func admit(_ offer: NetworkOffer?) -> Bool {
        guard !hasPeerOffered else { return false }
        hasPeerOffered = true
        if offer == nil { canMove = false }
        return true
    }

    private mutating func admit(_ data: [UInt8]) -> Bool {
        guard !hasEnded else { return false }
        guard !isOnNetwork else { return true }
        guard data.count <= 8192, untaken < 4 else { return false }
        untaken += 1
        return true
    }

    private mutating func admitMove(to connection: NetworkConnectionID) -> Bool {
        guard !isOnNetwork, canMove, !isCaller || connection == ownMove else { return false }
        peerMove = connection
        return true
    }

    /// The app of this device has written a piece.
    mutating func write() {
        if ownMove == nil { unconfirmed += 1 }
    }

    /// The app of this device has taken a piece that came over the radio.
    mutating func take() {
        untaken -= 1
    }

    /// Whether both sides have offered addresses, and connections are waited for.
    var isConnecting: Bool { hasPeerOffered && canMove }

    /// A connection has proved itself to this device.
    mutating func prove(_ connection: NetworkConnectionID) {
        guard isConnecting else { return }
        if isCaller, ownMove == nil { ownMove = connection }
        if !isCaller { proven.append(connection) }
        follow()
    }

    /// The time for connecting is over.
    mutating func giveUp() {
        if proven.isEmpty, ownMove == nil, peerMove == nil { canMove = false }
    }

    /// Moves this device where the peer has moved and the connection has proved itself.
    mutating func follow() {
        guard let peerMove else { return }
        if isCaller {
            isOnNetwork = true
        } else if proven.contains(peerMove) {
            ownMove = peerMove
            isOnNetwork = true
        }
    }
}
