import HandoffCrypto
import HandoffWire

/// One side of a session: a table of states and of the frames that each of them takes.
protocol SessionStates {
    /// What a frame has completed.
    associatedtype Event

    /// The received bytes that are no whole frame yet.
    var frames: FrameDecoder { get set }

    /// Takes the next frame in the present state; returns what it has completed, nil when more must follow.
    mutating func handle(_ frame: [UInt8]) throws -> Event?
}

extension SessionStates {
    /// Returns the event that the received bytes have completed.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the session is over.
    mutating func event(in bytes: [UInt8]) throws(HandoffError) -> Event? {
        try SessionErrorMapping.mappingErrors { () throws -> Event? in
            try frames.append(bytes)
            while let frame = try frames.next() {
                if let event = try handle(frame) { return event }
            }
            return nil
        }
    }

    /// Returns the two directions of the stream that a session over `transport` becomes; what was received after the
    /// last frame is the stream's beginning.
    func streamDirections(over transport: NoiseTransport) -> StreamDirections {
        StreamDirections(transport, frames: frames)
    }
}
