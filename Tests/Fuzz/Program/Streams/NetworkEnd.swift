import HandoffCore
import HandoffCrypto

/// One end of a connection over a local network, with what it has sent and what it has received.
///
/// It reads one message of the other end, or two if it accepts, and closes when one is wrong.
struct NetworkEnd {
    /// The side of the session to which it belongs.
    let device: NetworkSecret.Opener
    /// The stream for which it is.
    let stream: Int
    /// What the end that opens the connection sends first: its own, or the one that it has accepted.
    let opening: [UInt8]
    /// What the end that accepts sends: its own, or the one that was right.
    private(set) var answer: [UInt8]
    /// What the end that opens sends last, once it has accepted the answer.
    private(set) var confirmation: [UInt8]?
    private(set) var proven: ProvenConnection?

    private let opener: NetworkOpening?
    private let acceptor: NetworkAcceptance?
    private var isClosed = false

    /// Opens a connection.
    init(_ device: NetworkSecret.Opener, of stream: Int, _ secret: NetworkSecret, nonce: [UInt8]) {
        let opener = NetworkOpening(secret, by: device, nonceForTestVectors: nonce)
        self.device = device
        self.stream = stream
        self.opener = opener
        opening = opener.opening
        answer = []
        acceptor = nil
    }

    /// Accepts a connection; nil when the opening is none of the other side of the session.
    init?(
        _ device: NetworkSecret.Opener,
        of stream: Int,
        _ secret: NetworkSecret,
        accepting opening: [UInt8],
        nonce: [UInt8]
    ) {
        let acceptor = try? NetworkAcceptance(
            secret,
            opening: opening,
            by: device.other,
            nonceForTestVectors: nonce
        )
        guard let acceptor else { return nil }
        self.device = device
        self.stream = stream
        self.opening = opening
        self.acceptor = acceptor
        answer = acceptor.answer
        opener = nil
    }

    /// Whether it has opened the connection.
    var isOpener: Bool { opener != nil }

    /// Whether it waits for a message.
    var isOpen: Bool { !isClosed }

    /// Reads the last message that it waits for; returns whether that was right.
    mutating func receive(_ message: [UInt8]) -> Bool {
        isClosed = true
        if let opener, let (connection, bytes) = try? opener.finish(message) {
            (proven, confirmation, answer) = (connection, bytes, message)
        } else if let acceptor {
            proven = try? acceptor.finish(message)
        }
        return proven != nil
    }

    /// Whether this is the other end of the same connection, as far as it has come.
    func isOther(of end: NetworkEnd) -> Bool {
        device != end.device && stream == end.stream && isOpener != end.isOpener && opening == end.opening
    }
}

extension NetworkSecret.Opener {
    /// The other side of the session.
    var other: NetworkSecret.Opener { self == .caller ? .listener : .caller }
}
