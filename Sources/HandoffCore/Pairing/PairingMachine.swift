package import HandoffCrypto
import HandoffModel
package import HandoffWire

/// A person's request to pair this device with another: what happens, and when, in; what follows out.
///
/// It looks for other devices that pair, decides who dials whom, gets a channel to each, has the person choose when there
/// are several, goes through a ``PairingExchange`` with the chosen one, and ends exactly once.
package struct PairingMachine: Sendable {
    /// Names a channel; whoever carries out the actions counts them.
    package typealias ChannelID = UInt64
    /// Names a question to the person; an answer to an older one counts for nothing.
    package typealias QuestionID = UInt64

    /// Something that has happened.
    package enum Event: Sendable {
        /// A device that pairs was heard.
        case heard(PairingToken)
        /// A dial has succeeded.
        case opened(ChannelID, PairingToken)
        /// A dial has failed.
        case dialFailed(PairingToken)
        /// Somebody has dialled this device.
        case accepted(ChannelID)
        /// Bytes have come.
        case received(ChannelID, [UInt8])
        /// A channel has ended.
        case closed(ChannelID)
        /// The person has chosen one of several devices, or none of them.
        case chose(QuestionID, ChannelID?)
        /// The person has compared the digits.
        case compared(QuestionID, areSame: Bool)
        /// The person has not answered a question, and will not.
        case unanswered(QuestionID)
        /// The person does not want to pair any more, or is gone.
        case cancelled
        /// The radio cannot be used any more, and why.
        case radioFailed(HandoffError)
        /// A record could not be written down, nor what stood behind it be done.
        case persistFailed(ChannelID, HandoffError)
        /// A device could not be trusted, and what stood behind that was not done.
        case trustFailed(ChannelID, PeerIdentity, HandoffError)
        /// A pairing that ``Action/abandon(_:)`` named is settled: the two are not paired, and both know.
        case reconciled(PairingID)
        /// A moment has come that ``PairingMachine/deadline`` named.
        case tick
    }

    /// Something to be done, in this order.
    package enum Action: Hashable, Sendable {
        /// Opens a channel to a device that was heard.
        case dial(PairingToken)
        case send(ChannelID, [UInt8])
        /// Closes a channel; a lingering one only after a while, unless the other side does before.
        case close(ChannelID, lingers: Bool)
        /// Asks which of several devices it is.
        case offer(QuestionID, [Candidate])
        /// Asks whether the digits are the same there.
        case compare(QuestionID, PairingDigits, PeerIdentity)
        /// The last question needs no answer any more; the sentence says why.
        case withdrawQuestion(String)
        /// Writes a record down before anything else is done.
        case persist(ChannelID, PairingRecord)
        /// Writes a record down as well.
        case update(PairingRecord)
        /// Nothing comes of that pairing here any more, but the other side may wait for an answer: settles it if so.
        case abandon(PairingID)
        /// Trusts a device from now on.
        case trust(ChannelID, PeerIdentity, AdvertisingKey)
        /// Tells the person how it has ended.
        case finish(Outcome)
    }

    /// A device that could be the one.
    package struct Candidate: Hashable, Sendable {
        package let channel: ChannelID
        package let peer: PeerIdentity
    }

    /// How it has ended for the person here.
    package enum Outcome: Hashable, Sendable {
        /// Both devices trust each other.
        case paired(PeerIdentity)
        /// The person here has confirmed, and nobody knows about the one there.
        case unconfirmed(PeerIdentity, HandoffError)
        /// Nothing was paired, and why.
        case notPaired(HandoffError)
    }

    /// How long another device is looked for.
    package static let searchLimit = Duration.seconds(120)
    /// How often digits may fail, for each chance is one for somebody in between.
    package static let maximumAttempts = 3
    /// How long it is waited for further devices once there is one.
    package static let candidateWindow = Duration.milliseconds(1500)
    /// How long if there are some that were heard and have not said yet who they are.
    package static let maximumCandidateWindow = Duration.seconds(5)
    /// How long a device is heard before it is dialled although it should dial.
    package static let dialFallbackDelay = Duration.seconds(4)
    /// How long after a failure the same device is dialled again.
    package static let redialDelay = Duration.seconds(3)
    /// How many channels are open at once.
    package static let maximumChannels = 8
    /// How many channels there are in all, and how many devices are noticed.
    package static let maximumContacts = 32

    struct Contact: Sendable {
        var nextDial: Duration
        var isDialling = false
        /// Whether it was heard and may still say who it is: not once it has, or a dial has failed.
        var isAwaited = true
    }

    enum Phase: Sendable {
        /// Since when there is a candidate; nil for none.
        case searching(since: Duration?)
        case choosing(QuestionID)
        case chosen(ChannelID)
        case over
    }

    /// What this device advertises.
    package let token: PairingToken
    let own: LocalIdentity
    let end: Duration
    var phase = Phase.searching(since: nil)
    var contacts: [PairingToken: Contact] = [:]
    var exchanges: [ChannelID: PairingExchange] = [:]
    var candidates: [ChannelID: PeerIdentity] = [:]
    var channelCount = 0
    var attempts = 0
    var question: QuestionID = 0
    var isCancelled = false
    /// Who has chosen another device last.
    var chosenElsewhere: DeviceName?
    /// The last exchange that was lost after it had been written down, and what is said of it.
    var abandoned: (id: PairingID, error: HandoffError)?

    /// A request that begins now.
    ///
    /// - Parameters:
    ///   - token: what this device advertises, new for each request.
    ///   - own: what it tells of itself.
    ///   - now: the present.
    package init(token: PairingToken, _ own: LocalIdentity, at now: Moment) {
        self.token = token
        self.own = own
        end = now.uptime + Self.searchLimit
    }

    /// Whether nothing is left to be done: the person knows, and no channel is open.
    package var isOver: Bool {
        if case .over = phase { exchanges.isEmpty } else { false }
    }

    /// When `Event.tick` is due at the latest, as `uptime`; nil for not at all.
    package var deadline: Duration? {
        var due = exchanges.values.compactMap(\.deadline)
        switch phase {
        case .searching(let since):
            due += [end] + [since].compactMap { $0.map(choiceDue) }
            if freeChannels > 0 { due += contacts.filter { isFree($0.key, $0.value) }.map(\.value.nextDial) }
        case .choosing: due.append(end)
        case .chosen(let channel) where exchanges[channel]?.isComparing == false: due.append(end)
        case .chosen, .over: break
        }
        return due.min()
    }

    /// Takes in what has happened.
    package mutating func handle(_ event: Event, at now: Moment) -> [Action] {
        let uptime = now.uptime
        switch event {
        case .heard(let token): return heard(token, at: uptime)
        case .opened(let channel, let token): return opened(channel, token, at: now)
        case .dialFailed(let token):
            contacts[token]?.isDialling = false
            contacts[token]?.isAwaited = false
            contacts[token]?.nextDial = uptime + Self.redialDelay
            return []
        case .accepted(let channel): return accepted(channel, at: now)
        case .received(let channel, let bytes):
            let actions = exchanges[channel]?.receive(bytes, at: uptime) ?? []
            return closeDuplicate(channel, at: uptime) + perform(actions, of: channel, at: uptime)
        case .closed(let channel):
            let actions = exchanges[channel]?.closed() ?? []
            let following = perform(actions.filter { !$0.isClose }, of: channel, at: uptime)
            exchanges[channel] = nil
            forget(channel)
            return following
        case .chose(let question, let channel): return chose(question, channel, at: uptime)
        case .compared(let question, let areSame): return compared(question, areSame, at: uptime)
        case .unanswered(let question): return question == self.question ? cancel(at: uptime) : []
        case .cancelled: return cancel(at: uptime)
        case .radioFailed(let error): return fail(error, at: uptime)
        case .persistFailed(let channel, let error): return persistFailed(channel, error, at: uptime)
        case .trustFailed(let channel, let peer, let error): return trustFailed(channel, peer, error, at: uptime)
        case .reconciled(let id): return reconciled(id, at: uptime)
        case .tick: return tick(at: uptime)
        }
    }
}
