package import HandoffCrypto
package import HandoffWire

/// One side of a pairing with one device, over one channel: what happens, and when, in; what follows out.
///
/// First both sides make a channel that nobody else can read and tell each other their names; then each waits until its
/// person has chosen the other; then they exchange what the digits are made of; then each waits for its person's yes and
/// for the other side's. A side counts the pairing as done when it has both. As long as it has said yes and has not heard
/// the other's answer, the pairing is unconfirmed, and nothing but the other side's word ends that (Docs/Protocol.md,
/// "Pairing").
package struct PairingExchange: Sendable {
    /// What has to be done, in this order.
    package enum Action: Hashable, Sendable {
        /// These bytes go into the channel.
        case send([UInt8])
        /// The other side has said who it is.
        case introduced(PeerIdentity)
        /// The person here compares these digits with those there.
        case compare(PairingDigits)
        /// This has to be written down before anything that follows it is done; if that fails, nothing that follows it
        /// is, and ``PairingExchange/persistFailed(_:)`` says so.
        case persist(PairingRecord)
        /// This is written down as well, and is no loss if it cannot be.
        case update(PairingRecord)
        /// The device is trusted from now on; if that fails, ``PairingExchange/trustFailed()`` says so.
        case trust(PeerIdentity, AdvertisingKey)
        /// How it has ended; comes once, or twice when trusting has failed.
        case conclude(PairingExchangeOutcome)
        /// The channel is not needed any more; a lingering one is closed by the other side, for closing throws away
        /// what was not taken yet.
        case close(lingers: Bool)
    }

    /// How long the other side may take for an answer that needs no person.
    package static let answerLimit = Duration.seconds(10)
    /// How long a person may compare digits.
    package static let comparisonLimit = Duration.seconds(60)
    /// How much longer the other side's person is waited for.
    package static let comparisonMargin = Duration.seconds(10)
    /// How long it is waited for the last message.
    package static let closeLimit = Duration.seconds(2)

    struct Comparison: Sendable {
        var record: PairingRecord
        var hasConfirmed = false
        var theirKey: AdvertisingKey?
        var isPaired: Bool { record.status == .paired }
    }

    enum Proof: Sendable {
        case awaitingChoice(local: Bool, remote: Bool)
        /// The listener waits for the promise, the caller for the listener's number, the listener for the caller's.
        case awaitingCommitment
        case awaitingShare(PairingNonce)
        case awaitingReveal(PairingNonce, commitment: [UInt8])
    }

    enum Phase: Sendable {
        case handshaking(PairingHandshake)
        case introducing(PairingChannel)
        case committing(PairingChannel, Proof)
        case comparing(PairingChannel, Comparison)
        /// A refusal was sent, and it is waited for the other side's having it.
        case declined(PairingChannel, PairingRecord)
        case over
    }

    /// Whether this side has dialled.
    package let isCaller: Bool

    /// What the other side advertises; a listener learns it from the first message.
    package internal(set) var peerToken: PairingToken?

    /// Who the other side says it is.
    package internal(set) var peer: PeerIdentity?

    /// The message in which it said so, as it came: a later version may say more, which the digits cover as well.
    var peerIntroduction: [UInt8] = []

    /// Whether it has come so far that digits could have been guessed.
    package internal(set) var countsAsAttempt = false

    /// When `tick(_:)` is due at the latest.
    package internal(set) var deadline: Duration?

    /// What it is remembered as; nil as long as it is not.
    package internal(set) var id: PairingID?

    let ownToken: PairingToken
    let own: LocalIdentity
    let began: Int64
    /// The channel as it was before the last record was to be written down.
    ///
    /// What was sealed since never leaves this side if that fails, so that the refusal is the next message that the other
    /// side can read.
    var channelBeforeRecord: PairingChannel?
    private var frames = FrameDecoder(maximumLength: PairingChannel.maximumFrame)
    var phase: Phase

    /// An exchange over a channel that has just been opened.
    ///
    /// - Parameters:
    ///   - peerToken: what the device advertises that this side has dialled; nil for the side that was dialled.
    ///   - ownToken: what this side advertises.
    ///   - own: what this side tells of itself.
    ///   - now: the present.
    ///   - ephemeral: the key of the handshake, in tests of published vectors.
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

    /// Whether nothing more will be said or done.
    package var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    /// Whether people compare digits, or have.
    package var isComparing: Bool {
        if case .comparing = phase { true } else { false }
    }

    /// The first bytes of the side that has dialled; nothing on the other one.
    package mutating func start() -> [Action] {
        guard case .handshaking(var handshake) = phase, let peerToken else { return [] }
        let opening = PairingOpening(caller: ownToken, listener: peerToken)
        guard let message = try? handshake.writeMessage(opening.encode()) else { return end(.misbehaved("no keys")) }
        phase = .handshaking(handshake)
        return [.send(FrameCodec.encode(message))]
    }

    /// Takes in what came from the channel, in pieces of any size.
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

    /// The person here has chosen the other side, or there is no other to choose.
    package mutating func choose(at now: Duration) -> [Action] {
        guard case .committing(var channel, .awaitingChoice(false, let remote)) = phase else { return [] }
        let choice = Action.send(channel.seal(.choice))
        phase = .committing(channel, .awaitingChoice(local: true, remote: remote))
        return [choice] + (remote ? beginCommitment(at: now) : [])
    }

    /// The person here says that the digits are the same.
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

    /// This side does not want to go on.
    ///
    /// After a yes of its own it can only ask the other side to stop.
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

    /// The channel has ended.
    package mutating func closed() -> [Action] {
        end(.channelClosed)
    }

    /// The last record that was to be kept could not be written, and nothing that stood behind it was done; comes before
    /// anything else does.
    package mutating func persistFailed(_ error: HandoffError) -> [Action] {
        guard var channel = channelBeforeRecord else { return [] }
        channelBeforeRecord = nil
        let refusal = Action.send(channel.seal(.refusal(.failed)))
        phase = .over
        deadline = nil
        return [refusal, .conclude(.notPaired(.unwritable(error))), .close(lingers: true)]
    }

    /// The device could not be trusted, and nothing that stood behind that was done; the other side may trust this one.
    package mutating func trustFailed() -> [Action] {
        phase = .over
        deadline = nil
        return [.conclude(.unconfirmed), .close(lingers: false)]
    }

    /// Carries out what is due.
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
