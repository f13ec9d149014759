import AsyncSupport
import CLinux
import Epoll
import HandoffCore
import HandoffCrypto
import HandoffWire
import Synchronization

/// What one stream does on the local network: it offers this device's addresses, listens and connects for a short time,
/// and finds the connection to which the stream moves.
///
/// The listening socket exists while ``run()`` connects, and at no other time.
final class StreamNetwork: Sendable {
    private struct State {
        var move: StreamMove
        var routes: [NetworkConnectionID: NetworkRoute] = [:]
        /// How many connections were accepted that have not proved anything yet.
        var unproven = 0
    }

    /// What this device offers; nil when it has no network, or its user has switched this off.
    let offer: NetworkOffer?

    /// The route over which this side sends from now on.
    let sending = Promise<NetworkRoute>()
    /// The route over which this side receives from now on.
    let receiving = Promise<NetworkRoute>()

    private let isCaller: Bool
    private let handshakeHash: [UInt8]
    private let reactor: Reactor
    private let listener: TCPListener?
    private let own: [InterfaceAddress]
    private let theirs = Promise<NetworkOffer>()
    private let stopped = Promise<Void>()
    private let state: Mutex<State>

    /// How long the caller of the session listens and connects after it has made its offer.
    private static let limit = Duration.seconds(2)
    /// How long the listener of the session does: the caller's choice may be on its way at the end of the caller's time.
    private static let listenerLimit = Duration.seconds(4)
    /// How long a connection may prove nothing.
    private static let proofLimit = Duration.seconds(1)
    /// How many accepted connections may prove nothing at a time; more are closed.
    private static let maximumUnproven = 8
    /// How many proven connections are kept.
    private static let maximumRoutes = 8

    /// Begins to listen, if `isEnabled` and this device is on a network.
    init(isCaller: Bool, isEnabled: Bool, handshakeHash: [UInt8], on reactor: Reactor) {
        let own = isEnabled ? (try? InterfaceAddress.all()) ?? [] : []
        let listener = own.isEmpty ? nil : try? TCPListener(on: reactor)
        var random = SystemRandomNumberGenerator()
        let secret = (0..<NetworkOffer.secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        offer = listener.flatMap {
            NetworkOffer(
                port: $0.port,
                secret: secret,
                addresses: NetworkCandidate.offered(own),
                hasAES: handoff_has_aes_instructions()
            )
        }
        self.isCaller = isCaller
        self.handshakeHash = handshakeHash
        self.reactor = reactor
        self.own = own
        self.listener = offer == nil ? nil : listener
        state = Mutex(State(move: StreamMove(isCaller: isCaller, hasOffered: offer != nil)))
    }

    // MARK: Events

    /// The other device's offer has arrived.
    func receive(_ offer: NetworkOffer?) {
        state.withLock { perform($0.move.receive(offer), &$0) }
    }

    /// The other device moves to a connection; returns when it is known, and it has proved itself.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`, or `timedOut` when the connection does not prove itself.
    func receiveMove(to connection: NetworkConnectionID) async throws -> NetworkRoute {
        try state.withLock { state in
            let actions = try state.move.receiveMove(to: connection)
            perform(actions, &state)
        }
        return try await withTimeout(Self.listenerLimit, throwing: Self.absent) { try await receiving.value() }
    }

    private static let absent = HandoffError(
        .timedOut,
        "The other device has moved the stream to the local network, where it cannot be reached."
    )

    private func perform(_ actions: [StreamMove.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .connect(let offer): theirs.fulfil(offer)
            case .send(let id):
                if let route = state.routes[id] { sending.fulfil(route) }
            case .receive(let id):
                if let route = state.routes[id] { receiving.fulfil(route) }
                // All others are closed.
                state.routes = [:]
            case .stop: stopped.fulfil(())
            }
        }
    }

    // MARK: Connecting

    /// Listens and connects until the stream moves, or the time for it is over; returns whether the stream stays on the
    /// radio for good.
    func run() async -> Bool {
        defer { listener?.close() }
        guard let listener, let offer else { return true }
        // Where this fails, the stream stays on the radio.
        _ = try? await withTimeout(isCaller ? Self.limit : Self.listenerLimit) {
            try await race { [self] in
                let theirs = try await theirs.value()
                let secret = NetworkSecret(
                    caller: isCaller ? offer.secret : theirs.secret,
                    listener: isCaller ? theirs.secret : offer.secret,
                    handshakeHash: handshakeHash,
                    cipher: offer.hasAES && theirs.hasAES ? .aesGCM : .chaChaPoly
                )
                try await connect(to: theirs, secret, listener)
            } _: { [self] in
                try await stopped.value()
            }
        }
        return state.withLock { state in
            let actions = state.move.giveUp()
            perform(actions, &state)
            return state.move.isStaying
        }
    }

    private func connect(to theirs: NetworkOffer, _ secret: NetworkSecret, _ listener: TCPListener) async throws {
        let candidates = NetworkCandidate.all(of: theirs, own: own)
        try await withThrowingDiscardingTaskGroup { group in
            for candidate in candidates {
                group.addTask { [self] in await open(candidate, theirs.port, secret) }
            }
            while true {
                let connection = try await listener.accept()
                guard reserve() else { continue }
                group.addTask { [self] in
                    defer { state.withLock { $0.unproven -= 1 } }
                    await accept(connection, secret)
                }
            }
        }
    }

    private func reserve() -> Bool {
        state.withLock { state in
            guard state.unproven < Self.maximumUnproven else { return false }
            state.unproven += 1
            return true
        }
    }

    /// Connects to an address; a failure is the usual case, since only one of several addresses may be reachable.
    private func open(_ candidate: NetworkCandidate, _ port: UInt16, _ secret: NetworkSecret) async {
        do {
            let connection = try await TCPConnection.connect(
                to: candidate.address,
                port: port,
                interface: candidate.interface,
                on: reactor
            )
            let opening = NetworkOpening(secret, by: isCaller ? .caller : .listener)
            try await connection.send(opening.opening)
            let (proven, confirmation) = try opening.finish(try await connection.receive(NetworkOpening.answerBytes))
            try await connection.send(confirmation)
            add(NetworkRoute(proven: proven, channel: NetworkStreamChannel(connection)))
        } catch {
            return
        }
    }

    /// Lets a connection prove that the other device has opened it; a stranger's is closed without a byte.
    private func accept(_ connection: TCPConnection, _ secret: NetworkSecret) async {
        do {
            let proven = try await withTimeout(Self.proofLimit, throwing: Self.absent) {
                let opening = try await connection.receive(NetworkAcceptance.openingBytes)
                let acceptance = try NetworkAcceptance(secret, opening: opening, by: isCaller ? .listener : .caller)
                try await connection.send(acceptance.answer)
                return try acceptance.finish(try await connection.receive(NetworkAcceptance.confirmationBytes))
            }
            add(NetworkRoute(proven: proven, channel: NetworkStreamChannel(connection)))
        } catch {
            connection.close()
        }
    }

    private func add(_ route: NetworkRoute) {
        state.withLock { state in
            guard state.routes.count < Self.maximumRoutes else { return }
            state.routes[route.id] = route
            let actions = state.move.prove(route.id)
            // The caller keeps the one that it has chosen, the listener those that the caller may choose.
            if isCaller, actions.isEmpty { state.routes[route.id] = nil }
            perform(actions, &state)
        }
    }
}

extension TCPConnection {
    /// Returns the next `count` bytes.
    ///
    /// - Throws: `NetworkError`, also when the other end closes the connection before.
    fileprivate func receive(_ count: Int) async throws(NetworkError) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            guard let bytes = try await receive(atMost: count - all.count) else {
                throw NetworkError(.connectionLost, "The other end has closed the connection.")
            }
            all += bytes
        }
        return all
    }
}
