import HandoffModel
package import HandoffWire

/// The state machine of a user's request to pair this device with another: it accepts events with their moments, and
/// returns actions.
///
/// It searches for other pairing devices, decides which side dials, opens a channel to each, has the user choose when
/// there are several, runs a ``PairingExchange`` with the chosen one, and ends exactly once.
package struct PairingMachine: Sendable {
    /// How long the search for another device lasts.
    package static let searchLimit = Duration.seconds(120)
    /// How many attempts at comparing digits are allowed, since each is one guess for a man in the middle.
    package static let maximumAttempts = 3
    /// How long to wait for further devices after the first candidate.
    package static let candidateWindow = Duration.milliseconds(1500)
    /// How long to wait instead while devices that were heard have not introduced themselves.
    package static let maximumCandidateWindow = Duration.seconds(5)
    /// How long to wait for a device that should dial before this device dials it.
    package static let dialFallbackDelay = Duration.seconds(4)
    /// How long after a failure the same device is dialled again.
    package static let redialDelay = Duration.seconds(3)
    /// The maximum number of open channels.
    package static let maximumChannels = 8
    /// The maximum number of channels in one request, and of devices that are tracked.
    package static let maximumContacts = 32

    struct Contact: Sendable {
        var nextDial: Duration
        var isDialling = false
        /// Whether the device was heard and may still introduce itself: false once it has, or a dial has failed.
        var isAwaited = true
    }

    enum Phase: Sendable {
        /// When the first candidate appeared; nil for none.
        case searching(since: Duration?)
        case choosing(QuestionID)
        case chosen(ChannelID)
        case over
    }

    /// The token that this device advertises.
    package let token: PairingToken
    let own: LocalIdentity
    let end: Duration
    var phase = Phase.searching(since: nil)
    var contacts: [PairingToken: Contact] = [:]
    var exchanges: [ChannelID: PairingExchange] = [:]
    var candidates: [ChannelID: DeviceIdentity] = [:]
    var channelCount = 0
    var attempts = 0
    /// The last question to the user, or one that no answer belongs to.
    var question = QuestionID(rawValue: 0)
    var isCancelled = false
    /// The name of the last device on which another one was chosen.
    var chosenElsewhere: DeviceName?
    /// The last exchange that was lost after its record was written, and the error to report for it.
    var abandoned: (id: PairingID, error: HandoffError)?

    /// Creates a request that begins now.
    ///
    /// - Parameters:
    ///   - token: the token that this device advertises, new for each request.
    ///   - own: the identity that this device sends.
    ///   - now: the present.
    package init(token: PairingToken, _ own: LocalIdentity, at now: Moment) {
        self.token = token
        self.own = own
        end = now.uptime + Self.searchLimit
    }

    /// Whether the request is complete: the outcome was reported, and no channel is open.
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

    /// Handles an event, and returns the actions that follow.
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
