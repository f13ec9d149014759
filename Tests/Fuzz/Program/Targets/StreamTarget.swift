import HandoffCore
import HandoffCrypto
import HandoffWire

/// A whole stream with a trusted device, over the radio and then over a connection of the local network.
///
/// The first byte selects which side of the session this device is; the rest is the input of ``StreamHarness``.
struct StreamTarget: FuzzTarget {
    /// The keys after the handshake of a session: those of its caller, and those of its listener.
    private let caller: NoiseTransport
    private let listener: NoiseTransport

    private(set) var reached = [Milestone: Int](of: Milestone.stream + [.pendingMove])

    init() throws {
        let keys = try FuzzKeys()
        var (calling, answering) = (
            NoiseHandshake.calling(
                keys.own.publicKeys,
                as: keys.peer,
                after: keys.greeting,
                ephemeralForTestVectors: keys.ephemeral
            ),
            NoiseHandshake.answering(
                keys.peer.publicKeys,
                as: keys.own,
                after: keys.greeting,
                ephemeralForTestVectors: keys.ephemeral
            )
        )
        _ = try answering.readMessage(calling.writeMessage([]))
        _ = try calling.readMessage(answering.writeMessage([]))
        caller = try calling.split()
        listener = try answering.split()
    }

    mutating func take(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        let isCaller = input.byte() & 1 == 0
        let (own, peer) = isCaller ? (caller, listener) : (listener, caller)
        let receiver = StreamReceiver(
            cipher: own.directions().receiving,
            frames: FrameDecoder(maximumLength: FrameCodec.maximumLength)
        )
        let harness = StreamHarness(
            isCaller: isCaller,
            peer.directions().sending,
            receiver,
            handshakeHash: own.handshakeHash,
            &input
        )
        reached.add(harness.run(&input))
    }
}
