import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// Two devices that trust each other, and the two sides of one session between them.
struct SessionPair {
    let asking: DeviceKeys
    let answering: DeviceKeys
    var fetch: ClientSession
    var serve: ServerSession
    let request: Request

    /// - Parameter request: what the caller asks for; nil for a sample activity.
    init(
        asking: DeviceKeys = .generate(),
        answering: DeviceKeys = .generate(),
        request: Request? = nil
    ) throws {
        self.asking = asking
        self.answering = answering
        let request = try request ?? .fetch(.sample())
        self.request = request
        fetch = ClientSession(keys: asking, peer: answering.publicKeys, request: request)
        serve = try Self.server(answering, trusting: [asking])
    }

    /// The answering side of a device that trusts `devices`.
    static func server(_ keys: DeviceKeys, trusting devices: [DeviceKeys]) throws -> ServerSession {
        ServerSession(
            trial: try SessionTrial(keys, devices: devices.map(\.publicKeys))
        )
    }

    /// The first bytes of the caller and of the answering side, both of which have advanced to that state.
    mutating func exchange(_ answer: Answer) throws -> (first: [UInt8], second: [UInt8]) {
        let first = try fetch.opened(by: serve)
        guard try serve.receiveRequest(first) != nil else { throw Unfinished() }
        return (first, try serve.answer(answer))
    }

    /// The whole answer that the caller reads in those bytes.
    mutating func taking(_ second: [UInt8]) throws -> ClientSession.ReceivedAnswer {
        guard let answered = try fetch.receive(second) else { throw Unfinished() }
        return answered
    }

    struct Unfinished: Error {}
}

extension ClientSession {
    /// The bytes that open the session, once it has the listener's greeting.
    mutating func opened(by server: ServerSession) throws -> [UInt8] {
        guard let first = try open(server.greeting) else { throw SessionPair.Unfinished() }
        return first
    }
}

extension [UInt8] {
    /// Cut into pieces of that size, the last one shorter.
    func pieces(of size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
