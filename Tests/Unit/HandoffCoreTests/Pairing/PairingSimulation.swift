import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// Devices that pair, each a machine with its user, and the links between them, in virtual time.
struct PairingSimulation {
    /// A fault of one message.
    enum Fault: Hashable, Sendable, CaseIterable {
        /// It is lost, and so is the connection: both sides detect it.
        case lost
        /// It is lost, and so is all that follows in both directions; neither side detects it.
        case silent
        /// It is lost, and the later messages are not.
        case dropped
        /// It arrives twice.
        case doubled
        /// It arrives a minute and a half late.
        case late
    }

    /// The reaction of a user to the digits.
    enum UserBehavior: Hashable, Sendable, CaseIterable {
        /// Confirms at once that they are the same.
        case quick
        /// The same, after eight seconds.
        case slow
        /// Declares that they differ.
        case declines
        /// Does not answer.
        case neverAnswers
        /// Confirms that they are the same, and stops the pairing right afterwards.
        case withdraws
    }

    /// One device.
    struct Side {
        var machine: PairingMachine
        let own: LocalIdentity
        let user: UserBehavior
        /// The name of the device that the user wants, out of several.
        var wanted: String?
        var records = PairingRecords()
        var trusted: Set<DeviceID> = []
        var outcome: PairingMachine.Outcome?
        var digits: [PairingDigits] = []
        var offers: [[String]] = []
        var retractions: [String] = []
        /// The question that the user has not answered.
        var asked: PairingMachine.QuestionID?
        var abandoned: [PairingID] = []
        var channels: [PairingMachine.ChannelID: Int] = [:]
        /// The status of the record that cannot be stored.
        var failingStatus: PairingRecord.Status?
        var trustFails = false
        /// The time that a channel to or from it takes to open.
        var opening = Duration.milliseconds(10)

        var id: DeviceID { own.device.id }
    }

    private struct Link {
        let ends: [(side: Int, channel: PairingMachine.ChannelID)]
        var isOpen = true
        var isSilent = false
    }

    private struct Delivery {
        let time: Duration
        let order: Int
        let side: Int
        let event: PairingMachine.Event
        var link: Int?
    }

    var sides: [Side] = []
    var time = Duration.zero
    /// The message that has a fault, counted from 0.
    var fault: (message: Int, Fault)?
    var messageCount = 0
    private var links: [Link] = []
    private var deliveries: [Delivery] = []
    private var orders = 0
    private var nextChannel: UInt64 = 0

    /// The devices in the order of their tokens; the last one dials.
    init(_ users: [UserBehavior], seed: UInt8 = 0) throws {
        for (index, user) in users.enumerated() {
            let keys = DeviceKeys.generate()
            let name = try DeviceName("device\(index)")
            let own = LocalIdentity(keys, name: name, advertisingKey: .generate(day: 20000))
            let token = try PairingToken(bytes: [UInt8(index)] + Array(repeating: seed, count: 8))
            sides.append(Side(machine: PairingMachine(token: token, own, at: moment), own: own, user: user))
        }
    }

    var moment: Moment { Moment(uptime: time, unixMicroseconds: 1_700_000_000_000_000 + time.microseconds) }

    /// Lets every device hear every other one, and runs until no device has anything to do any more.
    mutating func run() {
        hearAll()
        while step() {}
    }

    /// Runs until that time, or until no device has anything to do any more.
    mutating func run(until end: Duration) {
        while nextTime.map({ $0 <= end }) ?? false, step() {}
    }

    /// When the next event happens; nil when there is none left.
    private var nextTime: Duration? {
        (deliveries.map(\.time) + sides.compactMap(\.machine.deadline)).min()
    }

    mutating func hearAll() {
        for listener in sides.indices {
            for speaker in sides.indices where speaker != listener {
                schedule(listener, .heard(sides[speaker].machine.token))
            }
        }
    }

    /// Lets two devices hear each other after a delay.
    mutating func meet(_ one: Int, _ other: Int, in delay: Duration = .milliseconds(10)) {
        schedule(one, .heard(sides[other].machine.token), in: delay)
        schedule(other, .heard(sides[one].machine.token), in: delay)
    }

    /// Performs the next event; false when there is none left.
    mutating func step() -> Bool {
        deliveries.sort { ($0.time, $0.order) < ($1.time, $1.order) }
        let due = sides.indices.compactMap { side in sides[side].machine.deadline.map { (time: $0, side: side) } }
        let tick = due.min { $0.time < $1.time }
        if let first = deliveries.first, first.time <= tick?.time ?? first.time {
            deliveries.removeFirst()
            time = max(time, first.time)
            if let link = first.link, !links[link].isOpen || links[link].isSilent, first.event.isBytes { return true }
            handle(first.event, at: first.side)
            return true
        }
        guard let tick else { return false }
        time = max(time, tick.time)
        handle(.tick, at: tick.side)
        return true
    }

    mutating func handle(_ event: PairingMachine.Event, at side: Int) {
        if case .compared = event { sides[side].asked = nil }
        let actions = sides[side].machine.handle(event, at: moment)
        for action in actions where !perform(action, at: side) { return }
    }

    private mutating func schedule(
        _ side: Int,
        _ event: PairingMachine.Event,
        in delay: Duration = .milliseconds(10),
        link: Int? = nil
    ) {
        orders += 1
        deliveries.append(Delivery(time: time + delay, order: orders, side: side, event: event, link: link))
    }

    /// False when the later actions in the same list must not be performed.
    private mutating func perform(_ action: PairingMachine.Action, at side: Int) -> Bool {
        switch action {
        case .dial(let token): dial(token, from: side)
        case .send(let channel, let bytes): send(bytes, over: channel, from: side)
        case .close(let channel, let lingers): close(channel, at: side, lingers)
        case .offer(let question, let candidates):
            sides[side].offers.append(candidates.map(\.peer.name.rawValue))
            let wanted = candidates.first { $0.peer.name.rawValue == sides[side].wanted }
            if let wanted { schedule(side, .chose(question, wanted.channel)) }
        case .compare(let question, let digits, _): compare(digits, question, at: side)
        case .withdrawQuestion(let sentence):
            sides[side].retractions.append(sentence)
            // A terminal answers a question that is withdrawn: it reports that there is no answer.
            if let question = sides[side].asked { schedule(side, .unanswered(question)) }
            sides[side].asked = nil
        case .persist(let channel, let record):
            if record.status == sides[side].failingStatus {
                handle(.persistFailed(channel, HandoffError(.stateUnwritable, "full")), at: side)
                return false
            }
            sides[side].records.keep(record)
        // The reconciliation happens when a test requests it.
        case .abandon(let id): sides[side].abandoned.append(id)
        case .update(let record): sides[side].records.keep(record)
        case .trust(let channel, let peer, _):
            if sides[side].trustFails {
                handle(.trustFailed(channel, peer, HandoffError(.stateUnwritable, "full")), at: side)
                return false
            }
            sides[side].trusted.insert(peer.id)
        case .finish(let outcome): sides[side].outcome = outcome
        }
        return true
    }

    private mutating func compare(_ digits: PairingDigits, _ question: PairingMachine.QuestionID, at side: Int) {
        sides[side].digits.append(digits)
        sides[side].asked = question
        switch sides[side].user {
        case .quick: schedule(side, .compared(question, areSame: true))
        case .slow: schedule(side, .compared(question, areSame: true), in: .seconds(8))
        case .declines: schedule(side, .compared(question, areSame: false))
        case .neverAnswers: break
        case .withdraws:
            schedule(side, .compared(question, areSame: true))
            schedule(side, .cancelled, in: .milliseconds(11))
        }
    }

    private mutating func dial(_ token: PairingToken, from side: Int) {
        guard let other = sides.firstIndex(where: { $0.machine.token == token && !$0.machine.isOver }) else {
            return schedule(side, .dialFailed(token))
        }
        let near = PairingMachine.ChannelID(rawValue: nextChannel)
        let far = PairingMachine.ChannelID(rawValue: nextChannel + 1)
        nextChannel += 2
        links.append(Link(ends: [(side, near), (other, far)]))
        sides[side].channels[near] = links.count - 1
        sides[other].channels[far] = links.count - 1
        let delay = max(sides[side].opening, sides[other].opening)
        schedule(other, .accepted(far), in: delay)
        schedule(side, .opened(near, token), in: delay)
    }

    private mutating func send(_ bytes: [UInt8], over channel: PairingMachine.ChannelID, from side: Int) {
        guard let link = sides[side].channels[channel], links[link].isOpen,
            let other = links[link].ends.first(where: { $0.side != side })
        else { return }
        let number = messageCount
        messageCount += 1
        let event = PairingMachine.Event.received(other.channel, bytes)
        guard let fault, fault.message == number else { return schedule(other.side, event, link: link) }
        switch fault.1 {
        case .lost: breakLink(link)
        case .silent: links[link].isSilent = true
        case .dropped: break
        case .doubled:
            schedule(other.side, event, link: link)
            schedule(other.side, event, link: link)
        case .late: schedule(other.side, event, in: .seconds(90), link: link)
        }
    }

    private mutating func close(_ channel: PairingMachine.ChannelID, at side: Int, _ lingers: Bool) {
        guard let link = sides[side].channels.removeValue(forKey: channel), links[link].isOpen,
            let other = links[link].ends.first(where: { $0.side != side })
        else { return }
        let delay = lingers ? Duration.seconds(2) : .milliseconds(10)
        // Closing does not discard what is under way before the other side has read it.
        schedule(other.side, .closed(other.channel), in: delay + .milliseconds(10))
    }

    private mutating func breakLink(_ link: Int) {
        links[link].isOpen = false
        for end in links[link].ends { schedule(end.side, .closed(end.channel)) }
    }
}

extension PairingMachine.Event {
    fileprivate var isBytes: Bool {
        if case .received = self { true } else { false }
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

extension PairingMachine.Outcome {
    /// The outcome in one word.
    var word: String {
        switch self {
        case .paired: "paired"
        case .unconfirmed: "unconfirmed"
        case .notPaired: "notPaired"
        }
    }
}

extension PairingSimulation {
    /// The fault of a session in which one side asks the other how a pairing has ended.
    enum ReconciliationFault: Hashable, Sendable, CaseIterable {
        case none, answerLost, acknowledgementLost, conclusionLost
    }

    /// Lets one side ask the other about each of its pairings that is not reconciled.
    mutating func reconcile(from caller: Int, to listener: Int, _ fault: ReconciliationFault = .none) throws {
        for record in sides[caller].records.unreconciled(at: moment) where record.peer.id == sides[listener].id {
            let request = PairingRecords.request(for: record)
            let callerID = sides[caller].id
            let isTrustedThere = sides[listener].trusted.contains(callerID)
            // The responder's trial does not find a caller whose key is in neither list.
            let asked = sides[listener].records.unreconciled(at: moment)
            guard isTrustedThere || asked.contains(where: { $0.peer.id == callerID }) else { continue }
            let verdict = sides[listener].records.verdict(
                on: request,
                from: callerID,
                isTrusted: isTrustedThere,
                during: nil,
                sides[listener].own.advertisingKey
            )
            guard fault != .answerLost else { continue }
            let isTrustedHere = sides[caller].trusted.contains(record.peer.id)
            apply(sides[caller].records.reconciliation(of: record, verdict, isTrusted: isTrustedHere), at: caller)
            guard fault != .acknowledgementLost else { continue }
            let reconciliation = try sides[listener].records.reconciliation(
                of: request,
                from: callerID,
                verdict,
                isTrusted: isTrustedThere,
                key: sides[caller].own.advertisingKey.rawRepresentation
            )
            apply(reconciliation, at: listener)
            guard fault != .conclusionLost else { continue }
            apply(sides[caller].records.concluded(record), at: caller)
        }
    }

    private mutating func apply(_ reconciliation: PairingRecords.Reconciliation, at side: Int) {
        if let trusted = reconciliation.newlyTrusted { sides[side].trusted.insert(trusted.peer.id) }
        if let record = reconciliation.record { sides[side].records.keep(record) }
    }
}

extension PairingSimulation {
    /// The outcome for each device, in one word.
    var outcomes: [String] { sides.map { $0.outcome?.word ?? "-" } }

    /// Whether no device trusts another.
    var noDeviceTrusts: Bool { sides.allSatisfy { $0.trusted.isEmpty } }

    /// Whether each device knows that its peer knows the outcome.
    var isReconciled: Bool { sides.allSatisfy { $0.records.unreconciled(at: moment).isEmpty } }

    /// Whether nothing is left to be done.
    var isOver: Bool { sides.allSatisfy { $0.machine.isOver } }

    /// Whether no device has shown any digits.
    var noDigits: Bool { sides.allSatisfy { $0.digits.isEmpty } }

    /// Whether no device waits for the confirmation of another.
    var nothingUnconfirmed: Bool { sides.allSatisfy { $0.records.unconfirmed.isEmpty } }
}
