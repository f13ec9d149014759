/// A short-range radio: it tells devices nearby a few bytes, hears theirs, and carries channels between two of them.
///
/// The protocol is a contract that every radio keeps in the same way; `Tests/Support/HandoffRadioConformance` holds each
/// promise as a test, and both radios of this package pass all of them. What the bytes mean is no concern of a radio.
///
/// Life is lexical. ``run()`` is the radio's life and the other calls are valid while it runs; each `with…` method
/// undoes what it did, and has awaited the undoing, when it returns. When the radio becomes unavailable (unplugged,
/// switched off, its service restarted) the body of a running `with…` is cancelled and the method throws a
/// ``RadioError`` that names the reason; ``states()`` says when it is worth trying again. Cancelling the task that calls
/// a `with…` method cancels the body, undoes, and throws what the body threw. The body runs in a child task of its own: it
/// must not add tasks to a group that was made outside it.
package protocol Radio: Sendable {
    associatedtype Channel: RadioChannel

    /// Runs the radio until the task is cancelled, through any number of disappearances of the hardware.
    ///
    /// - Throws: only what no waiting can cure (``RadioError/Code/unusable``). An absent or switched-off radio is a
    ///   state, not an error.
    func run() async throws

    /// The condition of the radio: at once as it is now, then after every change.
    ///
    /// Each call makes a sequence of its own. A slow reader gets the newest state and misses those between. The sequence
    /// ends when ``run()`` has ended.
    func states() -> AsyncStream<RadioState>

    /// Advertises for as long as `body` runs.
    ///
    /// The body starts when the advertisement is on the air. At most one advertisement is on the air for each radio; a
    /// second call while one runs throws ``RadioError/Code/busy``.
    ///
    /// - Throws: ``RadioError`` when advertising cannot start or was ended from outside; else what `body` throws.
    func withAdvertisement<Success: Sendable>(
        _ advertisement: Advertisement,
        _ body: () async throws -> Success
    ) async throws -> Success

    /// Listens for advertisements of `services` for as long as `body` runs.
    ///
    /// Every advertisement heard is one element, the same one again each time the radio reports it. A reader that falls
    /// behind loses the oldest elements, never memory. What is on the air when the scan starts is reported soon after.
    ///
    /// - Throws: ``RadioError`` when scanning cannot start or was ended from outside; else what `body` throws.
    func withScan<Success: Sendable>(
        for services: Set<ServiceUUID>,
        _ body: (AsyncStream<AdvertisementReport>) async throws -> Success
    ) async throws -> Success

    /// Accepts channels for as long as `body` runs, which is told the port that peers dial.
    ///
    /// Each accepted channel is served by a child task running `serve`; the channel is closed when `serve` returns. When
    /// `body` returns, the serving tasks are cancelled and awaited. At most `limit` channels are open at a time; more are
    /// closed at once, unserved.
    ///
    /// - Throws: ``RadioError`` when listening cannot start; else what `body` throws.
    func withListener<Success: Sendable>(
        limit: Int,
        serving serve: @escaping @Sendable (Channel) async -> Void,
        _ body: (ChannelPort) async throws -> Success
    ) async throws -> Success

    /// Opens a channel to `port` of the device last heard at `address`, and closes it when `body` ends.
    ///
    /// Bytes that the peer has not taken yet when the channel closes may be lost: a protocol on top ends with an
    /// acknowledgement. Dials are made one at a time; a later one waits for its turn, inside its `timeout`, which bounds
    /// the opening and not the body. An earlier dial to the same device, and the end of an earlier link to it, are waited
    /// for before the `timeout` begins.
    ///
    /// - Throws: ``RadioError`` with `timedOut` (nobody answered), `refused` (nobody listens at `port`), or the reason
    ///   why the radio cannot be used; else what `body` throws.
    func withChannel<Success: Sendable>(
        to address: RadioAddress,
        port: ChannelPort,
        timeout: Duration,
        _ body: (Channel) async throws -> Success
    ) async throws -> Success
}

/// An open, reliable, ordered, bidirectional channel of bounded messages between two devices.
///
/// Nothing about it is authenticated or confidential. Safe to use from several tasks, but at most one sends and one
/// receives at a time.
package protocol RadioChannel: Sendable {
    /// Where the other side is, as far as the radio knows; for logs, never for identity.
    var peer: RadioAddress { get }

    /// The number of bytes that one ``send(_:)`` may carry, at least 23.
    ///
    /// Bluetooth Core, Vol 3, Part A, 4.22: the smallest MTU of an LE credit-based channel.
    var maximumMessageLength: Int { get }

    /// Sends one message of 1…``maximumMessageLength`` bytes, waiting while the peer is slow.
    ///
    /// - Throws: ``RadioError`` with `channelClosed`, or `messageTooLong`; cancellation closes the channel.
    func send(_ message: [UInt8]) async throws(RadioError)

    /// The next message, or nil when the peer has closed the channel after everything it sent was taken.
    ///
    /// Message borders are not promised to survive: a protocol on top frames its own.
    ///
    /// - Throws: ``RadioError`` with `channelClosed` when the link was lost; cancellation closes the channel.
    func receive() async throws(RadioError) -> [UInt8]?
}
