import BlueZ
import DBus
import HandoffRadio
import Synchronization

/// The mailbox of a listener: which callers there are, and what each is answered.
///
/// Its handlers run on the bus's thread and never wait: whoever serves a channel takes from its buffers and fills them.
/// Everything that a stranger can make it keep is bounded: the open channels by `places`, the rest by constants here.
final class MailboxPost: Sendable {
    /// How long a caller may be silent before its channel counts as lost.
    static let patience = Duration.seconds(12)

    /// How many devices are remembered with their last answer; more than any controller has links.
    private static let maximumDevices = 32

    /// How many channels are kept, those included of which a caller may not have heard the end yet.
    private static let maximumLines = 64

    /// A channel that a caller has opened.
    struct Arrival: Sendable {
        let device: ObjectPath
        let channel: MailboxChannel
        fileprivate let line: LineID
    }

    /// A channel of a device.
    fileprivate struct LineID: Hashable, Sendable {
        let device: ObjectPath
        let channel: UInt32
    }

    fileprivate struct Line {
        let channel: MailboxChannel
        var answer: MailboxLetter
        var heard: ContinuousClock.Instant
    }

    fileprivate struct State {
        var lines: [LineID: Line] = [:]
        /// What each device reads next, and which device wrote first.
        var answers: [ObjectPath: [UInt8]] = [:]
        var order: [ObjectPath] = []
        var isClosed = false
    }

    /// The channels that were opened; one reader.
    let arrivals: AsyncStream<Arrival>

    private let port: ChannelPort
    private let places: Places
    private let bell = GATTNotifier()
    private let state = Mutex(State())
    private let arrived: AsyncStream<Arrival>.Continuation

    init(port: ChannelPort, places: Places) {
        self.port = port
        self.places = places
        (arrivals, arrived) = AsyncStream.makeStream()
    }

    /// The GATT service to publish.
    var service: GATTService {
        let information = [MailboxNames.version, UInt8(truncatingIfNeeded: port.rawValue)]
        return GATTService(
            uuid: MailboxNames.service,
            characteristics: [
                GATTCharacteristic(uuid: MailboxNames.information, read: { _ in information }),
                GATTCharacteristic(
                    uuid: MailboxNames.mailbox,
                    read: { request throws(GATTRefusal) in try self.read(request) },
                    write: { value, request throws(GATTRefusal) in try self.write(value, request) }
                ),
                GATTCharacteristic(uuid: MailboxNames.doorbell, notifier: bell),
            ]
        )
    }

    /// The devices that have written, of late.
    var devices: [ObjectPath] { state.withLock { $0.order } }

    /// Waits until the caller of a channel has ended it, or been silent for too long; true for the latter.
    func waitForSilence(of arrival: Arrival) async throws -> Bool {
        while let heard = state.withLock({ $0.lines[arrival.line]?.heard }) {
            let end = heard + Self.patience
            guard end > .now else { return true }
            try await Task.sleep(until: end, clock: .continuous)
        }
        return false
    }

    /// Forgets a channel, whose end the caller has heard or will not hear any more.
    func forget(_ arrival: Arrival) {
        state.withLock { _ = $0.lines.removeValue(forKey: arrival.line) }
    }

    /// Takes no letters any more.
    func close() {
        let lines = state.withLock { state in
            state.isClosed = true
            defer { state.lines = [:] }
            return state.lines.values.map(\.channel)
        }
        for channel in lines { channel.close() }
        arrived.finish()
    }

    /// The answer to the last letter of the device that asks.
    func read(_ request: GATTRequest) throws(GATTRefusal) -> [UInt8] {
        guard let device = request.device, let answer = state.withLock({ $0.answers[device] }) else {
            throw .notPermitted
        }
        return answer
    }

    /// Takes in a letter.
    ///
    /// - Throws: a refusal for what is no letter.
    func write(_ value: [UInt8], _ request: GATTRequest) throws(GATTRefusal) {
        guard let device = request.device else { throw .notPermitted }
        guard let letter = MailboxLetter(value) else { throw .invalidLength }
        let line = LineID(device: device, channel: letter.channel)
        let answer = self.answer(to: letter, on: line)
        state.withLock { $0.keep(answer.bytes, for: device, atMost: Self.maximumDevices) }
    }

    private func answer(to letter: MailboxLetter, on id: LineID) -> MailboxLetter {
        let refusal = MailboxLetter(channel: letter.channel, number: letter.number, flags: .opening)
        guard let line = state.withLock({ $0.hear(id) }) else {
            return letter.flags.contains(.opening) ? open(letter, on: id) ?? refusal : refusal
        }
        // Written again: the answer was not read, or was somebody else's.
        if letter.number == line.answer.number { return line.answer }
        guard letter.number == line.answer.number &+ 1, !letter.flags.contains(.opening) else {
            line.channel.lose(RadioError(.channelClosed, "a letter of the other device got lost"))
            return refusal
        }
        let answer = line.channel.answer(letter)
        state.withLock { state in
            state.lines[id]?.answer = answer
            if letter.flags.contains(.end) { state.lines[id] = nil }
        }
        return answer
    }

    /// Opens a channel, if that is what the letter asks for and there is room; the letter's data is the port.
    private func open(_ letter: MailboxLetter, on id: LineID) -> MailboxLetter? {
        guard letter.number == 0, letter.data.map(UInt16.init) == [port.rawValue],
            state.withLock({ $0.takes(Self.maximumLines) }),
            places.take()
        else { return nil }
        let channel = MailboxChannel { [bell] in bell.notify([0]) }
        let first = MailboxLetter(channel: letter.channel, number: 0, flags: [], window: letter.window)
        let answer = channel.answer(first)
        state.withLock { $0.lines[id] = Line(channel: channel, answer: answer, heard: .now) }
        arrived.yield(Arrival(device: id.device, channel: channel, line: id))
        return answer
    }
}

extension MailboxPost.State {
    /// Whether one more channel can be opened.
    fileprivate func takes(_ limit: Int) -> Bool {
        !isClosed && lines.count < limit
    }

    /// Takes note that the caller of a line lives.
    fileprivate mutating func hear(_ id: MailboxPost.LineID) -> MailboxPost.Line? {
        lines[id]?.heard = .now
        return lines[id]
    }

    /// Keeps what a device reads next.
    fileprivate mutating func keep(_ answer: [UInt8], for device: ObjectPath, atMost limit: Int) {
        if answers.updateValue(answer, forKey: device) == nil { order.append(device) }
        if order.count > limit { answers[order.removeFirst()] = nil }
    }
}
