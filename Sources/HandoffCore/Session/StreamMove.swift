package import HandoffWire

/// Decides whether and when a stream moves from the radio to a local network; it knows neither sockets nor time.
///
/// The caller of the session moves to the first connection that it has proved. It says so in its last piece over the radio,
/// and the listener answers with the same in its own last one: each direction moves at a place in its order of pieces,
/// so nothing is lost or repeated, and until then the stream goes on over the radio.
package struct StreamMove: Sendable {
    /// What the device has to do; in this order.
    package enum Action: Hashable, Sendable {
        /// Connect to the other device, and accept its connections.
        case connect(NetworkOffer)
        /// Send a move over the radio, and all that follows over this connection.
        case send(over: NetworkConnectionID)
        /// Receive all that follows over this connection.
        case receive(over: NetworkConnectionID)
        /// Listen and connect no more.
        case stop
    }

    private enum State: Hashable, Sendable {
        /// The other device's offer has not arrived.
        case waiting
        /// Both have made an offer. The listener remembers which connections it has proved.
        case connecting(Set<NetworkConnectionID>)
        /// The listener has a move to a connection that it has not proved.
        case expecting(NetworkConnectionID)
        /// The caller has moved, and the listener not yet.
        case moving(NetworkConnectionID)
        /// Both directions are on the network.
        case moved
        /// The stream stays on the radio.
        case staying
    }

    private let isCaller: Bool
    /// Whether this device has made an offer with addresses.
    private let hasOffered: Bool
    private var state = State.waiting

    /// Whether the stream stays on the radio for good.
    package var isStaying: Bool { state == .staying }

    /// Makes the state at the beginning of a stream.
    package init(isCaller: Bool, hasOffered: Bool) {
        self.isCaller = isCaller
        self.hasOffered = hasOffered
    }

    /// The other device's offer has arrived; nil for an empty one.
    package mutating func receive(_ offer: NetworkOffer?) -> [Action] {
        guard case .waiting = state else { return [] }
        guard let offer, hasOffered else { return stay() }
        state = .connecting([])
        return [.connect(offer)]
    }

    /// Both ends of a connection have proved themselves.
    package mutating func prove(_ connection: NetworkConnectionID) -> [Action] {
        switch state {
        case .connecting where isCaller:
            state = .moving(connection)
            return [.send(over: connection), .stop]
        case .connecting(let proven):
            state = .connecting(proven.union([connection]))
            return []
        case .expecting(connection): return follow(to: connection)
        case .waiting, .expecting, .moving, .moved, .staying: return []
        }
    }

    /// The other device moves to a connection.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when it may not, or to another connection than the caller has
    ///   chosen.
    package mutating func receiveMove(to connection: NetworkConnectionID) throws(HandoffError) -> [Action] {
        switch state {
        case .moving(connection):
            state = .moved
            return [.receive(over: connection)]
        case .connecting(let proven) where !isCaller:
            guard proven.contains(connection) else {
                state = .expecting(connection)
                return []
            }
            return follow(to: connection)
        default:
            throw HandoffError(
                .peerMisbehaved,
                "The peer moves a stream to the local network out of turn.",
                violation: .outOfTurn
            )
        }
    }

    /// The time for connecting is over, or this device has sent its last piece.
    ///
    /// The listener keeps the connections that it has proved: the caller's move may be on its way.
    package mutating func giveUp() -> [Action] {
        switch state {
        case .waiting, .connecting([]): stay()
        case .connecting where isCaller: stay()
        case .connecting, .expecting, .moving, .moved, .staying: []
        }
    }

    private mutating func follow(to connection: NetworkConnectionID) -> [Action] {
        state = .moved
        return [.send(over: connection), .receive(over: connection), .stop]
    }

    private mutating func stay() -> [Action] {
        state = .staying
        return [.stop]
    }
}
