import FoundationEssentials

/// A request of one device to another.
package enum Request: Hashable, Sendable {
    /// The user wants to continue the advertised activity.
    case fetch(FetchRequest)
    /// The device asks what the other device knows of their circle.
    case circle(CircleRequest)
    /// The app that continues an activity wants a stream to the app that began it.
    case stream(StreamRequest)
    /// The device does not know how a pairing ended (reconciliation).
    case settle(SettleRequest)
    /// The device reports how an earlier take ended.
    case report(TakeReport)

    /// The maximum size of a request in bytes: 1024 with its padding's length.
    ///
    /// It bounds what an unauthenticated peer can send.
    package static let maximumBytes = 1024 - MessagePadding.lengthBytes

    /// Whether it asks for the circle, whose answers are longer than others.
    package var isCircle: Bool { if case .circle = self { true } else { false } }

    /// Returns the encoded request.
    package func encode() -> [UInt8] {
        var message = Handoff_V1_Request()
        switch self {
        case .fetch(let request):
            message.fetch = Handoff_V1_FetchRequest(request)
        case .circle(let request):
            message.circle.digest = Data(request.digest)
        case .stream(let request):
            message.stream.activity = request.activity
        case .settle(let request):
            message.settle.pairing = Data(request.pairing)
            message.settle.confirmed = request.isConfirmed
        case .report(let report):
            message.report = Handoff_V1_TakeReport(report)
        }
        return MessageCoding.encode(message)
    }

    /// Decodes a request.
    ///
    /// - Throws: ``WireError``; ``WireError/Code/unknownKind`` for a kind of request that only a newer version knows.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let message = try MessageCoding.decode(Handoff_V1_Request.self, from: bytes, limit: Self.maximumBytes)
        switch message.kind {
        case .fetch(let fetch):
            self = .fetch(try FetchRequest(fetch))
        case .circle(let circle):
            guard circle.digest.count == CircleMessage.digestBytes else {
                throw WireError(
                    .invalidContent,
                    "A request for the circle has a digest of \(CircleMessage.digestBytes) bytes."
                )
            }
            self = .circle(CircleRequest(digest: Array(circle.digest)))
        case .stream(let stream):
            self = .stream(StreamRequest(activity: stream.activity))
        case .settle(let settle):
            self = .settle(try SettleRequest(settle))
        case .report(let report):
            self = .report(try TakeReport(report))
        case nil:
            throw WireError(.unknownKind, "Unknown kind of request: it needs a newer version of handoffd.")
        }
    }
}

/// A request for what the other device knows of the circle.
package struct CircleRequest: Hashable, Sendable {
    /// The digest of the caller's statements, 32 bytes.
    package let digest: [UInt8]

    /// Requests the statements unless their digest is this one, and the keys.
    package init(digest: [UInt8]) {
        self.digest = digest
    }
}

/// A request for a continuation stream to the app of an activity that was fetched.
package struct StreamRequest: Hashable, Sendable {
    /// The stream token that the origin sent with the activity.
    package let activity: UInt64

    /// Requests a stream to the app of that activity.
    package init(activity: UInt64) {
        self.activity = activity
    }
}

/// Reports how a pairing ended on the caller's side, and asks how it ended on the other.
///
/// The caller tells its advertising key in the ``Acknowledgement``: whoever steals the listener's keys later can decrypt
/// a recorded request, and nothing else of the session.
package struct SettleRequest: Hashable, Sendable {
    /// The identifier of the pairing.
    package let pairing: [UInt8]
    /// Whether the caller's user confirmed that the digits agree.
    package let isConfirmed: Bool

    /// Asks how the pairing with that identifier ended.
    package init(pairing: [UInt8], isConfirmed: Bool) {
        self.pairing = pairing
        self.isConfirmed = isConfirmed
    }
}

extension SettleRequest {
    /// The number of bytes of a pairing's identifier (Docs/Protocol.md, "Reconciliation").
    private static let pairingBytes = 8

    /// Validates a decoded request.
    fileprivate init(_ message: Handoff_V1_SettleRequest) throws(WireError) {
        guard message.pairing.count == Self.pairingBytes else {
            throw WireError(.invalidContent, "The identifier of a pairing has 8 bytes, got \(message.pairing.count).")
        }
        pairing = Array(message.pairing)
        isConfirmed = message.confirmed
    }
}
