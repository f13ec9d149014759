import AsyncSupport
import BlueZ
import DBus
import HandoffRadio
import Synchronization

/// The mailbox of a listener: which callers there are, and what each is answered.
///
/// Its handlers run on the bus's thread and never wait: whoever serves a channel takes from its buffers and fills them.
/// Everything that a stranger can make it keep is bounded: the open channels by `places`, the rest by constants here.
final class GATTServerTransport: Sendable {
    /// How long a caller may be silent before its channel counts as lost.
    static let idleTimeout = Duration.seconds(12)

    /// How many devices are remembered with their last answer; more than any controller has links.
    private static let maximumDevices = 32

    /// How many channels are kept, those included of which a caller may not have heard the end yet.
    private static let maximumSessions = 64

    /// A channel that a caller has opened.
    struct IncomingChannel: Sendable {
        let device: ObjectPath
        let channel: GATTChannel
        fileprivate let session: SessionID
    }

    /// A channel of a device.
    fileprivate struct SessionID: Hashable, Sendable {
        let device: ObjectPath
        let channel: UInt32
    }

    fileprivate struct ChannelSession {
        let channel: GATTChannel
        var answer: GATTFrame
        var lastActivity: ContinuousClock.Instant
    }

    fileprivate struct State {
        var sessions: [SessionID: ChannelSession] = [:]
        /// What each device reads next, and which device wrote first.
        var answers: [ObjectPath: [UInt8]] = [:]
        var order: [ObjectPath] = []
        var isClosed = false
    }

    /// The channels that were opened; one reader.
    let incomingChannels: AsyncStream<IncomingChannel>

    private let port: ChannelPort
    private let places: CountingSemaphore
    private let notifier = GATTNotifier()
    private let state = Mutex(State())
    private let newChannels: AsyncStream<IncomingChannel>.Continuation

    init(port: ChannelPort, places: CountingSemaphore) {
        self.port = port
        self.places = places
        (incomingChannels, newChannels) = AsyncStream.makeStream()
    }

    /// The GATT service to publish.
    var service: GATTService {
        let information = [GATTTransportUUIDs.version, UInt8(truncatingIfNeeded: port.rawValue)]
        return GATTService(
            uuid: GATTTransportUUIDs.service,
            characteristics: [
                GATTCharacteristic(uuid: GATTTransportUUIDs.information, read: { _ in information }),
                GATTCharacteristic(
                    uuid: GATTTransportUUIDs.frameCharacteristic,
                    read: { request throws(GATTRefusal) in try self.read(request) },
                    write: { value, request throws(GATTRefusal) in try self.write(value, request) }
                ),
                GATTCharacteristic(uuid: GATTTransportUUIDs.notifyCharacteristic, notifier: notifier),
            ]
        )
    }

    /// The devices that have written, of late.
    var devices: [ObjectPath] { state.withLock { $0.order } }

    /// Waits until the caller of a channel has ended it, or been silent for too long; true for the latter.
    func waitUntilIdle(of incoming: IncomingChannel) async throws -> Bool {
        while let lastActivity = state.withLock({ $0.sessions[incoming.session]?.lastActivity }) {
            let end = lastActivity + Self.idleTimeout
            guard end > .now else { return true }
            try await Task.sleep(until: end, clock: .continuous)
        }
        return false
    }

    /// Forgets a channel, whose end the caller has heard or will not hear any more.
    func forget(_ incoming: IncomingChannel) {
        state.withLock { _ = $0.sessions.removeValue(forKey: incoming.session) }
    }

    /// Takes no letters any more.
    func close() {
        let sessions = state.withLock { state in
            state.isClosed = true
            defer { state.sessions = [:] }
            return state.sessions.values.map(\.channel)
        }
        for channel in sessions { channel.close() }
        newChannels.finish()
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
        guard let frame = GATTFrame(value) else { throw .invalidLength }
        let session = SessionID(device: device, channel: frame.channel)
        let answer = self.answer(to: frame, on: session)
        state.withLock { $0.store(answer.bytes, for: device, atMost: Self.maximumDevices) }
    }

    private func answer(to frame: GATTFrame, on id: SessionID) -> GATTFrame {
        let refusal = GATTFrame(channel: frame.channel, number: frame.number, flags: .opening)
        guard let session = state.withLock({ $0.touch(id) }) else {
            return frame.flags.contains(.opening) ? open(frame, on: id) ?? refusal : refusal
        }
        // Written again: the answer was not read, or was somebody else's.
        if frame.number == session.answer.number { return session.answer }
        guard frame.number == session.answer.number &+ 1, !frame.flags.contains(.opening) else {
            session.channel.fail(RadioError(.channelClosed, "a letter of the other device got lost"))
            return refusal
        }
        let answer = session.channel.answer(frame)
        state.withLock { state in
            state.sessions[id]?.answer = answer
            if frame.flags.contains(.end) { state.sessions[id] = nil }
        }
        return answer
    }

    /// Opens a channel, if that is what the letter asks for and there is room; the letter's data is the port.
    private func open(_ frame: GATTFrame, on id: SessionID) -> GATTFrame? {
        guard frame.number == 0, frame.data.map(UInt16.init) == [port.rawValue],
            state.withLock({ $0.hasRoom(Self.maximumSessions) }),
            places.tryAcquire()
        else { return nil }
        let channel = GATTChannel { [notifier] in notifier.notify([0]) }
        let first = GATTFrame(channel: frame.channel, number: 0, flags: [], window: frame.window)
        let answer = channel.answer(first)
        state.withLock { $0.sessions[id] = ChannelSession(channel: channel, answer: answer, lastActivity: .now) }
        newChannels.yield(IncomingChannel(device: id.device, channel: channel, session: id))
        return answer
    }
}

extension GATTServerTransport.State {
    /// Whether one more channel can be opened.
    fileprivate func hasRoom(_ limit: Int) -> Bool {
        !isClosed && sessions.count < limit
    }

    /// Takes note that the caller of a line lives.
    fileprivate mutating func touch(_ id: GATTServerTransport.SessionID) -> GATTServerTransport.ChannelSession? {
        sessions[id]?.lastActivity = .now
        return sessions[id]
    }

    /// Keeps what a device reads next.
    fileprivate mutating func store(_ answer: [UInt8], for device: ObjectPath, atMost limit: Int) {
        if answers.updateValue(answer, forKey: device) == nil { order.append(device) }
        if order.count > limit { answers[order.removeFirst()] = nil }
    }
}
