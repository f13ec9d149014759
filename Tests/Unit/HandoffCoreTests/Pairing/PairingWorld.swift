import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// Two devices that pair, each with its person, its memory and its disk, and the air between them; a value, so that every
/// continuation of a state can be tried.
///
/// The machines, the records and everything that decides how a pairing is reconciled are the real ones. This is what the
/// daemon adds: it performs one action after the other, writes two files in this order (devices, then pairings), and
/// changes its memory only when they are written (`Engine.persist`, `Engine.write`).
struct PairingWorld {
    /// What a device keeps.
    struct Kept: Hashable {
        var trusted: Set<DeviceID> = []
        var records = PairingRecords()
    }

    /// What happens to a write.
    enum WriteFault: Hashable {
        /// The first file that is to be written stays as it is, and the device learns of it.
        case firstFails
        /// The second one does.
        case secondFails
        /// The power fails after the first of two files.
        case crashesBetween
    }

    /// What is on its way to one end of a channel.
    enum Item {
        case opened(PairingToken), accepted, closed
        case bytes([UInt8], label: Int)
    }

    /// A channel.
    struct Link {
        let ends: [(side: Int, channel: PairingMachine.ChannelID)]
        /// What is on its way to each end.
        var queues: [[Item]]
        /// Whether bytes that are sent from now on arrive.
        var isOpen = true
    }

    /// A session in which one side asks the other how a pairing has ended.
    struct Session: Hashable {
        enum Step: Hashable { case asked, answered, acknowledged, concluded }

        let caller: Int
        let record: PairingRecord
        let request: SettleRequest
        var verdict: PairingRecords.Verdict?
        var step = Step.asked

        var listener: Int { 1 - caller }
    }

    /// One device.
    struct Side {
        let own: LocalIdentity
        /// The person's request; nil when there is none, or the device has restarted since.
        var machine: PairingMachine?
        var request: ActivePairingRequest?
        /// The actions that the machine has decided on and that were not performed.
        var actions: [PairingMachine.Action] = []
        /// What the machine learns next, apart from what comes over a channel.
        var events: [PairingMachine.Event] = []
        /// The question that the person has not answered.
        var question: PairingMachine.QuestionID?
        /// The pairing whose digits are shown.
        var shown: PairingID?
        var memory = Kept()
        var disk = Kept()
        var effortEnd = Duration.zero
        /// What the person was told about the last request.
        var outcome: PairingMachine.Outcome?
        /// The pairings to which the person has said yes.
        var confirmed: Set<PairingID> = []
        /// Equal for two worlds only if the machines have had equal histories.
        var history = 0

        var id: DeviceID { own.device.id }
    }

    var sides: [Side] = []
    var links: [Link] = []
    var session: Session?
    var time = Duration.zero
    /// The pairings about which each side has asked since time has passed.
    var asked: Set<Asked> = []
    private var nextChannel: UInt64 = 0
    private(set) var requestCount: UInt8 = 0

    /// A pairing about which a side has asked.
    struct Asked: Hashable {
        let side: Int
        let pairing: PairingID
    }

    /// Two devices that have nothing to do with each other.
    init() throws {
        for index in 0...1 {
            let keys = DeviceKeys.generate()
            let name = try DeviceName("device\(index)")
            sides.append(Side(own: LocalIdentity(keys, name: name, advertisingKey: .generate(day: 20000))))
        }
    }

    var now: Moment { Moment(uptime: time, unixMicroseconds: 1_700_000_000_000_000 + Int64(time / .microseconds(1))) }

    /// Begins a request on both devices, which hear each other.
    mutating func beginRequests() throws {
        requestCount += 1
        for index in 0...1 {
            let token = try PairingToken(bytes: [UInt8(index)] + Array(repeating: requestCount, count: 8))
            sides[index].machine = PairingMachine(token: token, sides[index].own, at: now)
            sides[index].request = ActivePairingRequest()
            sides[index].outcome = nil
        }
        for index in 0...1 {
            guard let token = sides[1 - index].machine?.token else { continue }
            sides[index].events.append(.heard(token))
        }
    }

    /// Lets that much time pass, in which nothing happens.
    mutating func wait(_ duration: Duration) {
        time += duration
        asked = []
    }
}

// MARK: Requests

extension PairingWorld {
    /// Passes an event to the machine of a device, which has performed all earlier actions.
    mutating func handle(_ event: PairingMachine.Event, at side: Int, labelled label: some Hashable) {
        sides[side].history = Self.hash(sides[side].history, label, time)
        let now = now
        let actions = sides[side].machine?.handle(event, at: now) ?? []
        sides[side].actions = actions
        endRequestIfOver(side)
    }

    /// Performs the next action of a device.
    mutating func perform(at side: Int, _ fault: WriteFault?) {
        let action = sides[side].actions.removeFirst()
        switch action {
        case .dial(let token): dial(token, from: side)
        case .send(let channel, let bytes): send(bytes, over: channel, from: side)
        case .close(let channel, let lingers): close(channel, at: side, lingers)
        case .offer: break
        case .compare(let question, _, _): sides[side].question = question
        case .withdrawQuestion: sides[side].question = nil
        case .abandon(let id): sides[side].request?.abandon(id)
        case .persist(let channel, let record):
            if record.status == .notPaired { sides[side].shown = record.id }
            if !keep(record, at: side, fault) { fail(.persistFailed(channel, Self.full), at: side) }
        case .update(let record): _ = keep(record, at: side, fault)
        case .trust(let channel, let peer, _):
            let isSaved = write(at: side, fault) { kept in
                kept.trusted.insert(peer.id)
                kept.records.markPaired(peer.id)
            }
            if !isSaved { fail(.trustFailed(channel, peer, Self.full), at: side) }
        case .finish(let outcome): sides[side].outcome = outcome
        }
        endRequestIfOver(side)
    }

    private static let full = HandoffError(.stateUnwritable, "full")

    /// Tells the machine that an action has failed: the actions behind it are not performed.
    private mutating func fail(_ event: PairingMachine.Event, at side: Int) {
        // The device may have crashed in the write.
        guard sides[side].machine != nil else { return }
        handle(event, at: side, labelled: "failed")
    }

    private mutating func keep(_ record: PairingRecord, at side: Int, _ fault: WriteFault?) -> Bool {
        let now = now
        return write(at: side, fault) { kept in
            kept.records.forgetExpired(at: now)
            kept.records.keep(record)
        }
    }

    private mutating func endRequestIfOver(_ side: Int) {
        guard sides[side].machine?.isOver == true, sides[side].actions.isEmpty else { return }
        endRequest(side)
    }

    private mutating func endRequest(_ side: Int) {
        sides[side].machine = nil
        sides[side].request = nil
        sides[side].events = []
        sides[side].question = nil
        sides[side].effortEnd = time + PairingRecords.initialEffortDuration
    }

    private mutating func dial(_ token: PairingToken, from side: Int) {
        guard sides[1 - side].machine?.token == token else { return sides[side].events.append(.dialFailed(token)) }
        let near = PairingMachine.ChannelID(rawValue: nextChannel)
        let far = PairingMachine.ChannelID(rawValue: nextChannel + 1)
        nextChannel += 2
        links.append(Link(ends: [(side, near), (1 - side, far)], queues: [[.opened(token)], [.accepted]]))
    }

    private mutating func send(_ bytes: [UInt8], over channel: PairingMachine.ChannelID, from side: Int) {
        guard let (link, end) = place(of: channel, at: side), links[link].isOpen else { return }
        // Equal histories of the sender mean equal messages, but for what is random.
        let label = Self.hash(sides[side].history, sides[side].actions.count, bytes.count)
        links[link].queues[1 - end].append(.bytes(bytes, label: label))
    }

    private mutating func close(_ channel: PairingMachine.ChannelID, at side: Int, _ lingers: Bool) {
        guard let (link, end) = place(of: channel, at: side), links[link].isOpen else { return }
        // A lingering channel is closed when the other side had time to read.
        links[link].isOpen = false
        links[link].queues[end] = []
        links[link].queues[1 - end].append(.closed)
    }

    private func place(of channel: PairingMachine.ChannelID, at side: Int) -> (link: Int, end: Int)? {
        for link in links.indices {
            if let end = links[link].ends.firstIndex(where: { $0.side == side && $0.channel == channel }) {
                return (link, end)
            }
        }
        return nil
    }
}

// MARK: Memory and disk

extension PairingWorld {
    /// Changes what a device keeps; false when it cannot be written, or the device has crashed.
    mutating func write(at side: Int, _ fault: WriteFault?, _ change: (inout Kept) -> Void) -> Bool {
        var draft = sides[side].memory
        change(&draft)
        let changesDevices = draft.trusted != sides[side].memory.trusted
        let changesRecords = draft.records != sides[side].memory.records
        if changesDevices {
            if fault == .firstFails { return false }
            sides[side].disk.trusted = draft.trusted
            if fault == .crashesBetween {
                crash(side)
                return false
            }
        }
        if changesRecords {
            if fault == (changesDevices ? .secondFails : .firstFails) {
                guard changesDevices else { return false }
            } else {
                sides[side].disk.records = draft.records
            }
        }
        sides[side].memory = draft
        return true
    }

    /// The device loses all that is not on its disk, and starts again.
    mutating func crash(_ side: Int) {
        for link in links.indices where links[link].isOpen { breakLink(link, seenBy: 1 - side) }
        session = nil
        sides[side].actions = []
        endRequest(side)
        sides[side].history = 0
        sides[side].shown = nil
        sides[side].effortEnd = time + .seconds(30)
        sides[side].memory = sides[side].disk
        let trusted = sides[side].disk.trusted
        sides[side].memory.records.recover(trusting: trusted.contains)
        sides[side].disk = sides[side].memory
    }

    /// Loses everything that is on its way over a channel; the side that is named, or both, find out.
    mutating func breakLink(_ link: Int, seenBy side: Int? = nil) {
        links[link].isOpen = false
        for (end, (ended, _)) in links[link].ends.enumerated() {
            links[link].queues[end] = side == nil || side == ended ? [.closed] : []
        }
    }
}

extension PairingWorld {
    static func hash(_ values: any Hashable...) -> Int {
        var hasher = Hasher()
        for value in values { value.hash(into: &hasher) }
        return hasher.finalize()
    }
}
