import HandoffRadio

/// A channel of the radio that carries a stream.
///
/// The kernel notices a lost link. But a channel can lead nowhere on a link that works (Docs/BlueZ.md, on the channels of
/// bluetoothd 5.66), so a side that hears nothing for ``silenceLimit`` gives it up.
final class RadioStreamChannel: StreamChannel {
    /// After how much time without any bytes the channel counts as lost: more than the 30 s for which bluetoothd may wait
    /// for an answer to an ATT request, which matters where the channel uses GATT.
    static let silenceLimit = Duration.seconds(40)

    private let channel: any RadioChannel
    private let silence: SilenceTimer

    /// Uses `channel`, on which nothing may come for as long as `silenceLimit`.
    init(_ channel: any RadioChannel, silenceLimit: Duration = silenceLimit) {
        self.channel = channel
        silence = SilenceTimer(limit: silenceLimit)
    }

    func sendAll(_ bytes: [UInt8]) async throws { try await channel.sendAll(bytes) }

    func receive() async throws -> [UInt8]? {
        try await silence.whileWaiting { try await channel.receive() }
    }

    /// Throws if the reader has waited for too long.
    ///
    /// - Throws: `RadioError` with `timedOut`.
    func throwIfSilent() throws(RadioError) {
        guard silence.isOver else { return }
        throw RadioError(.timedOut, "The other device is silent: nothing came for \(silence.limit).")
    }
}
