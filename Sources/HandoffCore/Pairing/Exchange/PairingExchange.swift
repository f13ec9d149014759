package import HandoffCrypto
package import HandoffWire

/// One side of a pairing with one device over one channel: it accepts events with their moments, and returns actions.
///
/// First both sides establish an encrypted channel and exchange their names. Each then waits until its user has chosen
/// the other device. They then exchange a commitment and nonces, from which the digits are derived. Each finally waits
/// for its user's confirmation and for the other side's. A side considers the pairing complete when it has both. While
/// it has sent its own confirmation and not received the other's, the pairing is unconfirmed, and only the other side's
/// answer ends that state (Docs/Protocol.md, "Pairing").
package struct PairingExchange: Sendable {
    /// An action to perform; actions are performed in the given order.
    package enum Action: Hashable, Sendable {
        /// Writes these bytes to the channel.
        case send([UInt8])
        /// Reports the introduction of the other side.
        case introduced(DeviceIdentity)
        /// Asks the local user to compare these digits with those on the other device.
        case compare(PairingDigits)
        /// Writes the record before any action that follows; if that fails, none of them is performed, and
        /// ``PairingExchange/persistFailed(_:)`` is called.
        case persist(PairingRecord)
        /// Writes the record; a failure has no consequences.
        case update(PairingRecord)
        /// Adds the device to the circle; if that fails, ``PairingExchange/trustFailed()`` is called.
        case trust(DeviceIdentity, AdvertisingKey)
        /// Reports the outcome; happens once, or twice when adding the device to the circle has failed.
        case conclude(PairingExchangeOutcome)
        /// Closes the channel. A lingering channel is closed by the other side, since closing it here would discard
        /// what the other side has not read yet.
        case close(lingers: Bool)
    }

    /// How long the other side may take for an answer that does not depend on its user.
    package static let answerLimit = Duration.seconds(10)
    /// How long a user may compare digits.
    package static let comparisonLimit = Duration.seconds(60)
    /// How much longer to wait for the other side's user.
    package static let comparisonMargin = Duration.seconds(10)
    /// How long to wait for the last message.
    package static let closeLimit = Duration.seconds(2)

    struct Comparison: Sendable {
        var record: PairingRecord
        var hasConfirmed = false
        var theirKey: AdvertisingKey?
        var isPaired: Bool { record.status == .paired }
    }

    enum Proof: Sendable {
        case awaitingChoice(local: Bool, remote: Bool)
        /// In order: the listener waits for the commitment, the caller for the listener's nonce, the listener for the
        /// caller's nonce.
        case awaitingCommitment
        case awaitingShare(PairingNonce)
        case awaitingReveal(PairingNonce, commitment: [UInt8])
    }

    enum Phase: Sendable {
        case handshaking(PairingHandshake)
        case introducing(PairingChannel)
        case committing(PairingChannel, Proof)
        case comparing(PairingChannel, Comparison)
        /// A refusal was sent, and its acknowledgement is awaited.
        case declined(PairingChannel, PairingRecord)
        case over
    }

    /// Whether this side has dialled.
    package let isCaller: Bool

    /// The token that the other side advertises; a listener learns it from the first message.
    package internal(set) var peerToken: PairingToken?

    /// The identity with which the other side has introduced itself.
    package internal(set) var peer: DeviceIdentity?

    /// The peer's introduction as received: a later version may contain more, which the digits also cover.
    var peerIntroduction: [UInt8] = []

    /// Whether the exchange has reached the point at which digits could have been guessed.
    package internal(set) var countsAsAttempt = false

    /// When `tick(_:)` is due at the latest.
    package internal(set) var deadline: Duration?

    /// The id of the record; nil until there is one.
    package internal(set) var id: PairingID?

    let ownToken: PairingToken
    let own: LocalIdentity
    let began: Int64
    /// The channel's state before the last record was to be written.
    ///
    /// If writing fails, nothing that was sealed since leaves this device, so that the refusal is the next message that
    /// the other side can read.
    var channelBeforeRecord: PairingChannel?
    private var frames = FrameDecoder(maximumLength: PairingChannel.maximumFrame)
    var phase: Phase

    /// Creates an exchange over a channel that was just opened.
    ///
    /// - Parameters:
    ///   - peerToken: the token of the device that this side has dialled; nil for the side that was dialled.
    ///   - ownToken: the token that this side advertises.
    ///   - own: the identity that this side sends.
    ///   - now: the present.
    ///   - ephemeral: the ephemeral key of the handshake, for published test vectors.
    package init(
        dialling peerToken: PairingToken?,
        as ownToken: PairingToken,
        _ own: LocalIdentity,
        at now: Moment,
        ephemeral: AgreementKey? = nil
    ) {
        isCaller = peerToken != nil
        self.peerToken = peerToken
        self.ownToken = ownToken
        self.own = own
        began = now.unixMicroseconds
        phase = .handshaking(PairingHandshake(isCaller: peerToken != nil, ephemeralForTestVectors: ephemeral))
        deadline = now.uptime + Self.answerLimit
    }

    /// Whether the exchange has ended.
    package var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    /// Whether the users are comparing digits or have compared them.
    package var isComparing: Bool {
        if case .comparing = phase { true } else { false }
    }

    /// Returns the first bytes of the side that has dialled; nothing on the other side.
    package mutating func start() -> [Action] {
        guard case .handshaking(var handshake) = phase, let peerToken else { return [] }
        let opening = PairingOpening(caller: ownToken, listener: peerToken)
        guard let message = try? handshake.writeMessage(opening.encode()) else { return end(.misbehaved("no keys")) }
        phase = .handshaking(handshake)
        return [.send(FrameCodec.encode(message))]
    }

    /// Handles bytes from the channel, in pieces of any size.
    package mutating func receive(_ bytes: [UInt8], at now: Duration) -> [Action] {
        var actions: [Action] = []
        channelBeforeRecord = nil
        do {
            try frames.append(bytes)
            while !isOver, let frame = try frames.next() { actions += try receive(frame: frame, at: now) }
        } catch {
            actions += end(.misbehaved(Self.sentence(error)))
        }
        return actions
    }

    /// Handles the choice of this device by the local user, or by the daemon when it is the only one.
    package mutating func choose(at now: Duration) -> [Action] {
        guard case .committing(var channel, .awaitingChoice(false, let remote)) = phase else { return [] }
        let choice = Action.send(channel.seal(.choice))
        phase = .committing(channel, .awaitingChoice(local: true, remote: remote))
        return [choice] + (remote ? beginCommitment(at: now) : [])
    }

    /// Handles the local user's confirmation that the digits are equal.
    package mutating func confirm(at now: Duration) -> [Action] {
        guard case .comparing(var channel, var comparison) = phase, !comparison.hasConfirmed else { return [] }
        channelBeforeRecord = channel
        comparison.hasConfirmed = true
        comparison.record = comparison.record.withStatus(.unconfirmed)
        let key = own.advertisingKey.rawRepresentation
        let confirmation = Action.send(channel.seal(.confirmation(advertisingKey: key)))
        phase = .comparing(channel, comparison)
        deadline = max(deadline ?? now, now) + Self.comparisonMargin
        return [.persist(comparison.record), confirmation] + pairIfDue(at: now)
    }

    /// Ends the exchange from this side.
    ///
    /// After its own confirmation it can only ask the other side to stop.
    package mutating func decline(_ reason: PairingMessage.Reason, at now: Duration) -> [Action] {
        channelBeforeRecord = nil
        switch phase {
        case .handshaking, .introducing: return end(.local(reason))
        case .committing(var channel, _):
            let refusal = Action.send(channel.seal(.refusal(reason)))
            phase = .over
            deadline = nil
            return [refusal, .conclude(.notPaired(.local(reason))), .close(lingers: true)]
        case .comparing(var channel, let comparison) where !comparison.hasConfirmed:
            let refusal = Action.send(channel.seal(.refusal(reason)))
            phase = .declined(channel, comparison.record)
            deadline = now + Self.closeLimit
            return [refusal, .conclude(.notPaired(.local(reason)))]
        case .comparing(var channel, let comparison) where !comparison.isPaired:
            let withdrawal = Action.send(channel.seal(.withdrawal))
            phase = .comparing(channel, comparison)
            return [withdrawal]
        case .comparing, .declined, .over: return []
        }
    }

    /// Handles the end of the channel.
    package mutating func closed() -> [Action] {
        end(.channelClosed)
    }

    /// Handles a failure to write the last record, after which no following action was performed; must be called before
    /// any other event.
    package mutating func persistFailed(_ error: HandoffError) -> [Action] {
        guard var channel = channelBeforeRecord else { return [] }
        channelBeforeRecord = nil
        let refusal = Action.send(channel.seal(.refusal(.failed)))
        phase = .over
        deadline = nil
        return [refusal, .conclude(.notPaired(.unwritable(error))), .close(lingers: true)]
    }

    /// Handles a failure to add the device to the circle, after which no following action was performed; the other side
    /// may trust this one.
    package mutating func trustFailed() -> [Action] {
        phase = .over
        deadline = nil
        return [.conclude(.unconfirmed), .close(lingers: false)]
    }

    /// Handles the deadlines that have passed.
    package mutating func tick(at now: Duration) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        switch phase {
        case .comparing(_, let comparison) where !comparison.hasConfirmed: return decline(.tooSlow, at: now)
        case .comparing, .declined: return end(.timedOut)
        case .committing(_, .awaitingChoice):
            self.deadline = nil
            return []
        case .handshaking, .introducing, .committing: return end(.timedOut)
        case .over: return []
        }
    }

    private static func sentence(_ error: any Error) -> String {
        switch error {
        case let error as HandoffError: error.message
        case let error as WireError: error.message
        case let error as CryptoError: error.message
        default: "\(error)"
        }
    }
}
