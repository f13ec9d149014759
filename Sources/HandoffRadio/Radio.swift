package import Bluetooth

/// A short-range radio: it advertises a few bytes, scans for advertisements, and carries channels between two devices.
///
/// The protocol is a contract that every radio fulfils in the same way: `Tests/Support/HandoffRadioConformance` has a
/// test for each promise, and both radios of this package pass all of them. A radio does not interpret the bytes.
///
/// Lifetimes are lexical. The other calls are valid while ``run()`` runs. Each `with…` method reverts what it did, and
/// has awaited that, when it returns. When the radio becomes unavailable (unplugged, switched off, its service
/// restarted), the body of a running `with…` is cancelled and the method throws a ``RadioError`` that names the reason;
/// ``states()`` reports when it is worth trying again. Cancelling the task that calls a `with…` method cancels the
/// body, reverts, and throws what the body threw. The body runs in a child task of its own: it must not add tasks to a
/// group that was created outside it.
package protocol Radio: Sendable {
    associatedtype Channel: RadioChannel

    /// Runs the radio until the task is cancelled, however often the hardware disappears and returns.
    ///
    /// - Throws: only permanent errors (``RadioError/Code/unusable``). An absent or switched-off radio is a state, not
    ///   an error.
    func run() async throws

    /// Returns the states of the radio: first the current one, then each new one.
    ///
    /// Each call returns an independent sequence. A slow reader gets the newest state and misses those in between. The
    /// sequence ends when ``run()`` has ended.
    func states() -> AsyncStream<RadioState>

    /// Advertises for as long as `body` runs.
    ///
    /// The body starts when the advertisement is on the air. A radio has at most one advertisement on the air; a second
    /// call while one runs throws ``RadioError/Code/busy``.
    ///
    /// - Throws: ``RadioError`` when advertising cannot start or was ended externally; otherwise what `body` throws.
    func withAdvertisement<Success: Sendable>(
        _ advertisement: Advertisement,
        _ body: () async throws -> Success
    ) async throws -> Success

    /// Scans for advertisements of `services` for as long as `body` runs.
    ///
    /// Every received advertisement is one element, repeated each time the radio reports it. The buffer is bounded: a
    /// slow reader loses the oldest elements. Advertisements already on the air when the scan starts are reported soon
    /// after.
    ///
    /// - Throws: ``RadioError`` when scanning cannot start or was ended externally; otherwise what `body` throws.
    func withScan<Success: Sendable>(
        for services: Set<BluetoothUUID>,
        _ body: (AsyncStream<AdvertisementReport>) async throws -> Success
    ) async throws -> Success

    /// Accepts channels for as long as `body` runs; `body` gets the port that peers dial.
    ///
    /// Each accepted channel is served by a child task running `serve`; the channel is closed when `serve` returns.
    /// When `body` returns, the serving tasks are cancelled and awaited. At most `limit` channels are open at a time;
    /// further ones are closed immediately, unserved.
    ///
    /// - Throws: ``RadioError`` when listening cannot start; otherwise what `body` throws.
    func withListener<Success: Sendable>(
        limit: Int,
        serving serve: @escaping @Sendable (Channel) async -> Void,
        _ body: (LEPSM) async throws -> Success
    ) async throws -> Success

    /// Opens a channel to `port` of the device last heard at `address`, and closes it when `body` ends.
    ///
    /// Bytes that the peer has not received yet when the channel closes may be lost: a protocol on top must end with an
    /// acknowledgement. Dials are made one at a time; a later one waits for its turn. The wait counts towards its
    /// `timeout`, which bounds the opening and not the body. An earlier dial to the same device, and the end of an
    /// earlier link to it, are awaited before the `timeout` begins.
    ///
    /// - Throws: ``RadioError`` with `timedOut` (no answer), `refused` (no listener at `port`), or the reason why the
    ///   radio cannot be used; otherwise what `body` throws.
    func withChannel<Success: Sendable>(
        to address: RadioAddress,
        port: LEPSM,
        timeout: Duration,
        _ body: (Channel) async throws -> Success
    ) async throws -> Success
}

/// An open, reliable, ordered, bidirectional channel of bounded messages between two devices.
///
/// It is neither authenticated nor confidential. It can be used from several tasks, but at most one may send and one
/// receive at a time.
package protocol RadioChannel: Sendable {
    /// The address of the peer, as far as the radio knows it; for logs, never as identity.
    var peer: RadioAddress { get }

    /// The number of bytes that one ``send(_:)`` may carry, at least 23.
    ///
    /// Bluetooth Core, Vol 3, Part A, 4.22: the smallest MTU of an LE credit-based channel.
    var maximumMessageLength: Int { get }

    /// Sends one message of 1…``maximumMessageLength`` bytes; waits while the peer is slow.
    ///
    /// - Throws: ``RadioError`` with `channelClosed`, or `messageTooLong`; cancellation closes the channel.
    func send(_ message: [UInt8]) async throws(RadioError)

    /// Returns the next message, or nil when the peer has closed the channel and everything it sent was received.
    ///
    /// Message boundaries may be lost: a protocol on top must frame its messages.
    ///
    /// - Throws: ``RadioError`` with `channelClosed` when the link was lost; cancellation closes the channel.
    func receive() async throws(RadioError) -> [UInt8]?

    /// Tells the radio that the peer has proved who it is: a listener's radio may keep the link of one that has not for a
    /// shorter time after the channel.
    func recordAuthentication()
}

extension RadioChannel {
    /// Does nothing: a radio without links of limited number needs not know.
    package func recordAuthentication() {}
}
