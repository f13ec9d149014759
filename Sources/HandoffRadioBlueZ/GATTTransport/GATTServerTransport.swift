import AsyncSupport
import Bluetooth
import BlueZ
import DBus
import HandoffRadio
import Synchronization

/// The GATT service of a listener: accepts the frames of callers and answers them.
///
/// Its handlers run on the bus's thread and never wait: the task that serves a channel reads and fills its buffers. All
/// memory that an unauthenticated peer can cause is bounded: the open channels by `places`, the rest by constants here.
final class GATTServerTransport: Sendable {
    /// How long a caller may be silent before its channel is considered lost.
    static let idleTimeout = Duration.seconds(12)

    /// The number of devices whose last answer is kept; more than any controller has links.
    private static let maximumDevices = 32

    /// The number of sessions that are kept, including ended ones whose end the caller may not have read yet.
    private static let maximumSessions = 64

    /// The number of them that one device may have: one link must not keep all others out.
    static let maximumSessionsPerDevice = 8

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
        /// When the channel was opened.
        let start: ContinuousClock.Instant
        var lastActivity: ContinuousClock.Instant
    }

    fileprivate struct State {
        var sessions: [SessionID: ChannelSession] = [:]
        /// The answer that each device reads next; `order` has the devices in the order of their first write.
        var answers: [ObjectPath: [UInt8]] = [:]
        var order: [ObjectPath] = []
        var isClosed = false
    }

    /// The opened channels, for one reader.
    let incomingChannels: AsyncStream<IncomingChannel>

    private let port: LEPSM
    private let places: CountingSemaphore
    private let isDropping: @Sendable (ObjectPath) -> Bool
    private let notifier = GATTNotifier()
    private let state = Mutex(State())
    private let newChannels: AsyncStream<IncomingChannel>.Continuation

    /// - Parameters:
    ///   - port: the port at which callers may open channels.
    ///   - places: limits the open channels.
    ///   - isDropping: whether this side is about to drop the link to that device, so that no channel may begin on it.
    init(port: LEPSM, places: CountingSemaphore, isDropping: @escaping @Sendable (ObjectPath) -> Bool = { _ in false })
    {
        self.port = port
        self.places = places
        self.isDropping = isDropping
        (incomingChannels, newChannels) = AsyncStream.makeStream()
    }

    /// The GATT service to publish.
    var service: GATTService {
        let information = [GATTTransportUUIDs.version, port.number]
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

    /// The devices that have written recently.
    var devices: [ObjectPath] { state.withLock { $0.order } }

    /// Waits until the caller of a channel has ended it or was silent for too long; returns true for the latter.
    func waitUntilIdle(of incoming: IncomingChannel) async throws -> Bool {
        while let lastActivity = state.withLock({ $0.sessions[incoming.session]?.lastActivity }) {
            let end = lastActivity + Self.idleTimeout
            guard end > .now else { return true }
            try await ProcessClock().sleep(until: end)
        }
        return false
    }

    /// Drops a channel whose end the caller has read, or will not read any more.
    func forget(_ incoming: IncomingChannel) {
        state.withLock { state in
            // The caller may have opened another one under the same number.
            guard state.sessions[incoming.session]?.channel === incoming.channel else { return }
            state.sessions[incoming.session] = nil
        }
    }

    /// Closes all channels and accepts no more.
    func close() {
        let sessions = state.withLock { state in
            state.isClosed = true
            defer { state.sessions = [:] }
            return state.sessions.values.map(\.channel)
        }
        for channel in sessions { channel.close() }
        newChannels.finish()
    }

    /// Returns the answer to the last frame of the reading device.
    func read(_ request: GATTRequest) throws(GATTRefusal) -> [UInt8] {
        guard let device = request.device, let answer = state.withLock({ $0.answers[device] }) else {
            throw .notPermitted
        }
        return answer
    }

    /// Accepts a frame.
    ///
    /// - Throws: a refusal for a value that is not a frame.
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
        guard !session.channel.isLost else { return refusal }
        // Written again: the answer was not read, or the caller read the answer to another program.
        if frame.number == session.answer.number { return session.answer }
        guard frame.number == session.answer.number &+ 1, !frame.flags.contains(.opening) else {
            session.channel.fail(RadioError(.channelClosed, "a GATT frame of the other device was lost"))
            return refusal
        }
        let answer = session.channel.answer(frame)
        // It has sent more than it may.
        guard !session.channel.isLost else { return refusal }
        state.withLock { state in
            state.sessions[id]?.answer = answer
            if frame.flags.contains(.end) { state.sessions[id] = nil }
        }
        return answer
    }

    /// Opens a channel if the frame requests it, the link stays, and there is room; the data of the frame is the port.
    private func open(_ frame: GATTFrame, on id: SessionID) -> GATTFrame? {
        guard !isDropping(id.device) else {
            return GATTFrame(channel: frame.channel, number: frame.number, flags: [.opening, .end])
        }
        guard frame.number == 0, frame.data == [port.number],
            state.withLock({ $0.makeRoom(for: id.device, Self.maximumSessionsPerDevice, Self.maximumSessions) }),
            places.tryAcquire()
        else { return nil }
        let channel = GATTChannel { [notifier] in notifier.notify([0]) }
        let first = GATTFrame(channel: frame.channel, number: 0, flags: [], window: frame.window)
        let answer = channel.answer(first)
        let now = ContinuousClock.now
        let session = ChannelSession(channel: channel, answer: answer, start: now, lastActivity: now)
        state.withLock { $0.sessions[id] = session }
        newChannels.yield(IncomingChannel(device: id.device, channel: channel, session: id))
        return answer
    }
}

extension GATTServerTransport.State {
    /// Returns whether a device can open one more channel; forgets a session that has ended, of that device if it has
    /// too many, else of the one that has the most, where no other room is left.
    fileprivate mutating func makeRoom(for device: ObjectPath, _ limitPerDevice: Int, _ limit: Int) -> Bool {
        guard !isClosed else { return false }
        let counts = sessions.keys.reduce(into: [ObjectPath: Int]()) { $0[$1.device, default: 0] += 1 }
        if counts[device, default: 0] >= limitPerDevice { return forgetOldestEnded(of: [device]) }
        guard sessions.count >= limit else { return true }
        let most = counts.values.max()
        return forgetOldestEnded(of: Set(counts.filter { $0.value == most }.keys))
    }

    /// Forgets the oldest session of some devices that has ended, and whose end its caller has not read; returns false
    /// if there is none.
    private mutating func forgetOldestEnded(of devices: Set<ObjectPath>) -> Bool {
        let ended = sessions.filter { devices.contains($0.key.device) && $0.value.channel.isClosing }
        guard let oldest = ended.min(by: { $0.value.start < $1.value.start }) else { return false }
        sessions[oldest.key] = nil
        return true
    }

    /// Records activity of the caller of a session.
    fileprivate mutating func touch(_ id: GATTServerTransport.SessionID) -> GATTServerTransport.ChannelSession? {
        sessions[id]?.lastActivity = .now
        return sessions[id]
    }

    /// Stores the answer that a device reads next.
    fileprivate mutating func store(_ answer: [UInt8], for device: ObjectPath, atMost limit: Int) {
        if answers.updateValue(answer, forKey: device) == nil { order.append(device) }
        if order.count > limit { answers[order.removeFirst()] = nil }
    }
}
