import HandoffRadio

/// What carries the bytes of a stream: a channel of the radio, or a connection over the local network.
protocol StreamChannel: Sendable {
    /// Sends all bytes; waits while the other side does not read.
    ///
    /// - Throws: `RadioError` or `NetworkError` when it is closed or broken.
    func sendAll(_ bytes: [UInt8]) async throws

    /// Returns the next bytes; nil when the other side has closed the channel.
    ///
    /// - Throws: `RadioError` or `NetworkError` when it is broken.
    func receive() async throws -> [UInt8]?
}

extension RadioChannel {
    /// Sends any number of bytes, in as few messages as the channel allows.
    func sendAll(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(maximumMessageLength)
            try await send(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
    }
}
