import HandoffCore
import HandoffRadio

/// What has become of the dials for one channel.
struct DialRecord: Sendable {
    /// The endpoints that have had their turn.
    var tried: Set<PeerEndpoint> = []
    /// The error at the endpoint that was heard last: it is the most likely to be the device.
    var failure: (any Error)?
    /// Whether the device was listened for after a dial that has failed.
    var hasListened = false
    /// The endpoint whose channel the last dial has used; nil if none was open.
    var opened: PeerEndpoint?

    /// Whether a link has dropped since the last repetition.
    private var isBroken = false
    private var repetitions = 0

    /// How many times a dropped link to the same endpoint is opened again.
    private static let mostRepetitions = 2

    /// Whether the last dial has opened a channel.
    var wasOpen: Bool { opened != nil }

    /// Records that the last dial, or what ran with its channel, has failed.
    mutating func fails(with error: any Error) {
        failure = failure ?? error
        if wasOpen, (error as? RadioError)?.code == .channelClosed { isBroken = true }
    }

    /// Returns whether the device may be listened for, once: the dial has reached nobody.
    func mayListen(after error: any Error) -> Bool {
        !hasListened && !wasOpen && (error as? RadioError)?.code == .timedOut
    }

    /// Returns whether a link that has dropped is to be opened again; errors from then on are reported.
    mutating func repeats() -> Bool {
        guard isBroken, repetitions < Self.mostRepetitions else { return false }
        (failure, isBroken) = (nil, false)
        repetitions += 1
        return true
    }
}
