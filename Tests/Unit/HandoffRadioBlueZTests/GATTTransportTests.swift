import AsyncSupport
import Bluetooth
import DBus
import HandoffAttackModel
import HandoffRadio
import TestLimits
import Testing

@testable import BlueZ
@testable import HandoffRadioBlueZ

@Suite("Frames of the GATT transport", .endsWithin(minutes: 10))
struct GATTFrameTests {
    @Test("A frame is decoded as it was encoded")
    func roundTrip() {
        let frame = GATTFrame(
            channel: 0x0102_0304,
            number: 5,
            flags: [.end, .more],
            window: 0x0607,
            data: [8, 9]
        )
        #expect(frame.bytes == [1, 2, 3, 4, 5, 6, 6, 7, 8, 9])
        #expect(GATTFrame(frame.bytes) == frame)
    }

    @Test(
        "Data that is not a frame is refused",
        arguments: [
            [], Array(repeating: 0, count: 7), [0, 0, 0, 0, 0, 8, 0, 0], Array(repeating: 0, count: 509),
        ] as [[UInt8]]
    )
    func malformed(bytes: [UInt8]) {
        #expect(GATTFrame(bytes) == nil)
    }
}

@Suite("Buffers of a GATT channel", .endsWithin(minutes: 10))
struct GATTChannelBuffersTests {
    @Test("A peer that does not read is sent as much as its window allows, and no more")
    func window() {
        var (writer, reader) = connected()
        let message = Array(repeating: UInt8(1), count: GATTFrame.maximumDataLength)
        var sent = 0
        while writer.sends(message) {
            sent += message.count
            for _ in 0..<4 { exchange(&writer, &reader) }
        }
        #expect((1...GATTChannelBuffers.sendLimit).contains(sent - GATTChannelBuffers.capacity))
        let received = reader.receives()
        #expect(received == .bytes(GATTChannelBuffers.capacity))
        // There is room again, which is new data for the peer.
        #expect(reader.hasPendingData)
        exchange(&reader, &writer)
        exchange(&writer, &reader)
        let goesOn = writer.sends(message)
        #expect(goesOn)
    }

    @Test("A peer that sends more than there is room for loses the channel")
    func overrun() {
        var (_, reader) = connected()
        for _ in 0..<9 {
            let data = Array(repeating: UInt8(0), count: GATTFrame.maximumDataLength)
            reader.accept(GATTFrame(channel: 1, number: 1, flags: [], window: 0, data: data))
        }
        #expect(reader.isOver)
        let received = [reader.receives(), reader.receives()]
        #expect(received == [.bytes(8 * GATTFrame.maximumDataLength), .failed])
    }

    @Test("All data that was sent arrives before the end, and then the end")
    func ending() {
        var (writer, reader) = connected()
        let message = Array(repeating: UInt8(1), count: GATTFrame.maximumDataLength)
        let sent = (0..<3).map { _ in writer.sends(message) }
        #expect(sent == [true, true, true])
        writer.close()
        for _ in 0..<5 { exchange(&writer, &reader) }
        let received = [reader.receives(), reader.receives()]
        #expect(received == [.bytes(3 * message.count), .end])
        let answers = reader.sends([1])
        #expect(!answers)
        #expect(writer.isOver && reader.isOver)
    }

    @Test("A lost channel is not an end: the data that arrived is received, and then an error")
    func loss() {
        var (writer, reader) = connected()
        let sent = writer.sends([1, 2])
        #expect(sent)
        exchange(&writer, &reader)
        reader.fail(RadioError(.channelClosed, "lost"))
        let received = [reader.receives(), reader.receives()]
        #expect(received == [.bytes(2), .failed])
    }

    @Test("A notification is sent once between two frames, and only for new data")
    func bell() {
        var (writer, reader) = connected()
        exchange(&reader, &writer)
        var notified = [writer.shouldNotify()]
        for byte in 0..<2 as Range<UInt8> {
            _ = writer.sends([byte])
            notified.append(writer.shouldNotify())
        }
        exchange(&writer, &reader)
        notified.append(writer.shouldNotify())
        #expect(notified == [false, true, false, false])
    }

    /// Two ends that know each other's windows.
    private func connected() -> (GATTChannelBuffers, GATTChannelBuffers) {
        var (one, other) = (GATTChannelBuffers(), GATTChannelBuffers())
        exchange(&one, &other)
        exchange(&other, &one)
        return (one, other)
    }

    private func exchange(_ one: inout GATTChannelBuffers, _ other: inout GATTChannelBuffers) {
        other.accept(one.nextFrame(channel: 1, number: 0))
        one.accept(other.nextFrame(channel: 1, number: 0))
    }
}

/// The result of receiving.
private enum Received: Hashable {
    case nothing, end, failed
    case bytes(Int)
}

extension GATTChannelBuffers {
    fileprivate mutating func sends(_ message: [UInt8]) -> Bool {
        if case .success? = send(message) { true } else { false }
    }

    fileprivate mutating func receives() -> Received {
        switch receive() {
        case nil: .nothing
        case .success(nil): .end
        case .success(let bytes?): .bytes(bytes.count)
        case .failure: .failed
        }
    }
}

@Suite("The GATT transport of a listener", .endsWithin(minutes: 10))
struct GATTServerTransportTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_00_00_00_00_01"
    private let server = GATTServerTransport(port: .gattOnly, places: CountingSemaphore(2))

    @Test("Bytes are transferred both ways and in order, whichever side is faster", arguments: [0, 1, 503, 504, 4095])
    func transfer(extra: Int) async throws {
        let caller = GATTChannel {}
        let listener = try await opened(1, caller)
        let (there, back) = ([UInt8].pattern(30_000 + extra), [UInt8].pattern(20_000))
        let finished = await withTaskGroup(of: [UInt8].self) { group in
            group.addTask { await caller.exchange(there, expecting: back.count) }
            group.addTask { await listener.exchange(back, expecting: there.count) }
            let carrier = Task { try await carry(caller, channel: 1) }
            var results: [[UInt8]] = []
            for await result in group { results.append(result) }
            carrier.cancel()
            return results
        }
        #expect(Set(finished) == [there, back])
    }

    @Test("A frame that is written again is answered again, and its bytes are accepted once")
    func repetition() async throws {
        let caller = GATTChannel {}
        let listener = try await opened(1, caller)
        try await caller.send([1, 2])
        let frame = caller.nextFrame(channel: 1, number: 1)
        let first = try exchanged(frame)
        // Another caller on the same computer comes in between.
        _ = try exchanged(GATTFrame(channel: 2, number: 0, flags: .opening, data: [0xFF]))
        #expect(try exchanged(frame) == first)
        #expect(try await listener.receive() == [1, 2])
        caller.close()
        _ = try exchanged(caller.nextFrame(channel: 1, number: 2))
        let end = try await listener.receive()
        #expect(end == nil)
    }

    @Test("Channels at another port, above the limit, or that were never opened are refused")
    func refusals() throws {
        let opening = { (channel: UInt32, port: UInt8) in
            try exchanged(GATTFrame(channel: channel, number: 0, flags: .opening, data: [port])).flags
        }
        #expect(try opening(1, 0x80) == .opening)
        #expect(try opening(2, 0xFF) != .opening)
        #expect(try opening(3, 0xFF) != .opening)
        #expect(try opening(4, 0xFF) == .opening)
        #expect(try exchanged(GATTFrame(channel: 9, number: 3, flags: [])).flags == .opening)
    }

    @Test("While the link is about to be dropped, no channel begins, and the caller is told why")
    func dropping() throws {
        let server = GATTServerTransport(port: .gattOnly, places: CountingSemaphore(2)) { $0 == Self.device }
        try server.write(GATTFrame(channel: 1, number: 0, flags: .opening, data: [0xFF]).bytes, request)
        #expect(GATTFrame(try server.read(request))?.flags == [.opening, .end])
    }

    @Test("A frame that skips a number loses its channel")
    func skipping() async throws {
        let listener = try await opened(1, GATTChannel {})
        #expect(try exchanged(GATTFrame(channel: 1, number: 2, flags: [])).flags == .opening)
        await #expect(throws: RadioError.self) { try await listener.receive() }
    }

    @Test("Data that is not a frame is refused, and a device that wrote nothing has nothing to read")
    func noise() {
        let unknown = GATTRequest(options: ["device": Value.objectPath("/stranger")].value)
        #expect(throws: GATTRefusal.notPermitted) { try server.read(unknown) }
        #expect(throws: GATTRefusal.invalidLength) { try server.write([1, 2, 3], unknown) }
        let anonymous = GATTRequest(options: nil)
        #expect(throws: GATTRefusal.notPermitted) { try server.write([], anonymous) }
    }

    @Test("A device that opens all channels that it can keeps no other device out")
    func oneDevice() throws {
        let server = GATTServerTransport(port: .gattOnly, places: CountingSemaphore(130))
        func opened(_ channels: Range<UInt32>, by device: ObjectPath) throws -> Int {
            let request = GATTRequest(options: ["device": Value.objectPath(device)].value)
            return try channels.count { channel in
                let opening = GATTFrame(channel: channel, number: 0, flags: .opening, data: [0xFF])
                try server.write(opening.bytes, request)
                return GATTFrame(try server.read(request))?.flags != .opening
            }
        }
        // The draft: places for all devices, of which one may have any number.
        let draft = CountingSemaphore(64)
        let model = ((0..<64).map { _ in draft.tryAcquire() } + (0..<8).map { _ in draft.tryAcquire() }).suffix(8)
        #expect(try opened(0..<64, by: Self.device) == GATTServerTransport.maximumSessionsPerDevice)
        let others = try (0..<8).count { try opened(0..<1, by: Self.device.appending("other\($0)")) == 1 }
        measured(
            .allSessionsOverGATT,
            onModel: "\(model.count { $0 }) of 8 callers open a channel",
            here: "\(others) of 8"
        )
    }

    @Test("A device that has many channels whose end it has not read opens another one in place of the oldest of them")
    func unreadEnds() async throws {
        let server = GATTServerTransport(port: .gattOnly, places: CountingSemaphore(130))
        let limit = UInt32(GATTServerTransport.maximumSessionsPerDevice)
        func flags(_ channel: UInt32, _ number: UInt8, _ flags: GATTFrame.Flags, _ data: [UInt8]) throws -> GATTFrame
            .Flags?
        {
            let frame = GATTFrame(channel: channel, number: number, flags: flags, data: data)
            try server.write(frame.bytes, request)
            return GATTFrame(try server.read(request))?.flags
        }
        for channel in 0..<limit { _ = try flags(channel, 0, .opening, [0xFF]) }
        #expect(try flags(limit, 0, .opening, [0xFF]) == .opening, "all are open")
        var incoming = server.incomingChannels.makeAsyncIterator()
        for _ in 0..<2 { await incoming.next()?.channel.close() }
        #expect(try flags(limit, 0, .opening, [0xFF]) != .opening)
        #expect(try flags(0, 1, [], []) == .opening, "the oldest one that was closed is gone")
        #expect(try flags(1, 1, [], []) == .end)
    }

    @Test("Cancelling a receive closes the channel")
    func cancellation() async throws {
        let channel = GATTChannel {}
        let receiver = Task { try await channel.receive() }
        receiver.cancel()
        _ = await receiver.result
        await #expect(throws: RadioError.self) { try await channel.send([1]) }
    }

    private var request: GATTRequest { GATTRequest(options: ["device": Value.objectPath(Self.device)].value) }

    private func exchanged(_ frame: GATTFrame) throws -> GATTFrame {
        try server.write(frame.bytes, request)
        return try #require(GATTFrame(try server.read(request)))
    }

    /// Opens a channel, and returns the listener's end.
    private func opened(_ number: UInt32, _ caller: GATTChannel) async throws -> GATTChannel {
        let first = caller.nextFrame(channel: number, number: 0)
        let frame = GATTFrame(channel: number, number: 0, flags: .opening, window: first.window, data: [0xFF])
        caller.accept(try exchanged(frame))
        var incomingChannels = server.incomingChannels.makeAsyncIterator()
        return try #require(await incomingChannels.next()).channel
    }

    /// Transfers frames until cancelled.
    private func carry(_ caller: GATTChannel, channel: UInt32) async throws {
        var number: UInt8 = 1
        while !Task.isCancelled {
            caller.accept(try exchanged(caller.nextFrame(channel: channel, number: number)))
            number &+= 1
            await Task.yield()
        }
    }
}

extension GATTChannel {
    /// Sends all of `bytes`, and returns what arrived meanwhile.
    fileprivate func exchange(_ bytes: [UInt8], expecting count: Int) async -> [UInt8] {
        async let sent: Void = sendAll(bytes)
        var taken: [UInt8] = []
        while taken.count < count, let more = try? await receive() { taken += more }
        await sent
        return taken
    }

    private func sendAll(_ bytes: [UInt8]) async {
        var rest = bytes[...]
        while !rest.isEmpty {
            try? await send(Array(rest.prefix(300)))
            rest = rest.dropFirst(300)
        }
    }
}

extension [UInt8] {
    /// Bytes that reveal a missing, doubled or misplaced piece.
    fileprivate static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
    }
}
