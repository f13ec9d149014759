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
        /// Adds the device to the circle; if that fails, the outcome is that of an unconfirmed pairing, and the
        /// exchange is not used any more.
        case trust(DeviceIdentity, AdvertisingKeyRecord)
        /// Reports the outcome; happens once.
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

    /// What an exchange waits for, with what it knows by then.
    enum Phase: Sendable {
        case introducing(Introduction)
        case choosing(Choice)
        case committing(Commitment)
        case comparing(Comparison)
        case over
    }

    /// Whether this side has dialled.
    package let isCaller: Bool

    /// The token that the other side advertises; a listener learns it from the first message.
    package private(set) var peerToken: PairingToken?

    private let ownKey: AdvertisingKeyRecord
    private var frames = FrameDecoder(maximumLength: PairingChannel.maximumFrame)
    private var phase: Phase

    /// Creates an exchange over a channel that was just opened.
    ///
    /// - Parameters:
    ///   - peerToken: the token of the device that this side has dialled; nil for the side that was dialled.
    ///   - ownToken: the token that this side advertises.
    ///   - own: the identity that this side sends.
    ///   - now: the present.
    ///   - numbers: what is random otherwise; only where a vector has it.
    package init(
        dialling peerToken: PairingToken?,
        as ownToken: PairingToken,
        _ own: LocalIdentity,
        at now: Moment,
        numbersForTestVectors numbers: (ephemeral: AgreementKey, nonce: PairingNonce)? = nil
    ) {
        isCaller = peerToken != nil
        self.peerToken = peerToken
        ownKey = own.advertisingKey
        phase = .introducing(Introduction(dialling: peerToken, as: ownToken, own, at: now, numbers))
    }

    /// The identity with which the other side has introduced itself; nil before that, and after the end.
    package var peer: DeviceIdentity? {
        switch phase {
        case .choosing(let choice): choice.peer
        case .committing(let commitment): commitment.peer
        case .comparing(let comparison): comparison.peer
        case .introducing, .over: nil
        }
    }

    /// When `tick(_:)` is due at the latest.
    package var deadline: Duration? {
        switch phase {
        case .introducing(let introduction): introduction.deadline
        case .committing(let commitment): commitment.deadline
        case .comparing(let comparison): comparison.deadline
        case .choosing, .over: nil
        }
    }

    /// Whether the exchange has ended.
    package var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    /// Whether the users are comparing digits or have compared them.
    package var isComparing: Bool {
        if case .comparing(let comparison) = phase { !comparison.isDeclined } else { false }
    }

    /// Whether this side has chosen the other one, and the other one has not answered.
    var isUnanswered: Bool {
        if case .choosing(let choice) = phase { choice.isUnanswered } else { false }
    }

    /// Returns the first bytes of the side that has dialled; nothing on the other side.
    package mutating func start() -> [Action] {
        if case .introducing(let introduction) = phase { enter(introduction.started()) } else { [] }
    }

    /// Handles bytes from the channel, in pieces of any size.
    package mutating func receive(_ bytes: [UInt8], at now: Duration) -> [Action] {
        var actions: [Action] = []
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
        if case .choosing(let choice) = phase { enter(choice.chosen(at: now)) } else { [] }
    }

    /// Takes the choice back; does nothing once the other side has chosen this one, too.
    package mutating func withdrawChoice() -> [Action] {
        if case .choosing(let choice) = phase { enter(choice.withdrawn()) } else { [] }
    }

    /// Handles the local user's confirmation that the digits are equal.
    package mutating func confirm(at now: Duration) -> [Action] {
        if case .comparing(let comparison) = phase { enter(comparison.confirmed(with: ownKey, at: now)) } else { [] }
    }

    /// Ends the exchange from this side.
    ///
    /// After its own confirmation it can only ask the other side to stop.
    package mutating func decline(_ reason: PairingMessage.Reason, at now: Duration) -> [Action] {
        switch phase {
        case .introducing: end(.local(reason))
        case .choosing(let choice): enter(choice.declined(reason))
        case .committing(let commitment): enter(commitment.declined(reason))
        case .comparing(let comparison): enter(comparison.declined(reason, at: now))
        case .over: []
        }
    }

    /// Handles the end of the channel.
    package mutating func closed() -> [Action] {
        end(.channelClosed)
    }

    /// Handles a failure to write the last record, after which no following action was performed; must be called before
    /// any other event.
    package mutating func persistFailed(_ error: HandoffError) -> [Action] {
        switch phase {
        case .committing(let commitment): enter(commitment.persistFailed(error))
        case .comparing(let comparison): enter(comparison.persistFailed(error))
        case .introducing, .choosing, .over: []
        }
    }

    /// Handles the deadlines that have passed.
    package mutating func tick(at now: Duration) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        guard case .comparing(let comparison) = phase else { return end(.timedOut) }
        return enter(comparison.timedOut(at: now))
    }

    private mutating func receive(frame: [UInt8], at now: Duration) throws -> [Action] {
        switch phase {
        case .introducing(let introduction):
            let transition = try introduction.received(frame, at: now)
            if case .introducing(let introduction) = transition.phase { peerToken = introduction.peerToken }
            return enter(transition)
        case .choosing(let choice): return enter(try choice.received(frame, at: now))
        case .committing(let commitment): return enter(try commitment.received(frame, at: now))
        case .comparing(let comparison): return enter(try comparison.received(frame, at: now))
        case .over: return []
        }
    }

    /// Ends the exchange without sending anything.
    private mutating func end(_ cause: PairingExchangeOutcome.Cause) -> [Action] {
        switch phase {
        case .introducing, .choosing: enter(.ended(cause, after: .introduction))
        case .committing(let commitment): enter(.ended(cause, after: commitment.progress))
        case .comparing(let comparison): enter(comparison.ended(cause))
        case .over: []
        }
    }

    private mutating func enter(_ transition: Transition) -> [Action] {
        phase = transition.phase
        return transition.actions
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
