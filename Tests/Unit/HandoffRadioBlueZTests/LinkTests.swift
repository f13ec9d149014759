import AsyncSupport
import BlueZ
import BlueZTestSupport
import Bluetooth
import DBus
import HandoffAttackModel
import HandoffRadio
import HandoffTestSupport
import Logging
import Synchronization
import TestLimits
import TestRuns
import Testing

@testable import HandoffRadioBlueZ

@Suite("Links over bluetoothd", .endsWithin(minutes: 10, instances: 1))
struct LinkTests {
    private let one = "C0:00:00:00:00:01"
    private let other = "C0:00:00:00:00:02"

    @Test("A device is not dialled while bluetoothd drops the link to it, and other devices are")
    func dropping() async throws {
        try await withFakeRadio { fake, adapter, radio in
            let paths = [one, other].map { fake.path(of: $0, on: adapter) }
            for address in [one, other] { fake.hear(address, on: adapter, serviceData: nil) }
            fake.holdDisconnections()
            // Neither has the GATT service: the link is established, and cannot be used.
            await dial(one, radio)
            await fake.wait(for: "Disconnect")
            let back = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await dial(one, radio)
                    back.isUp.withLock { $0 = true }
                }
                group.addTask { await dial(other, radio) }
                await fake.wait(for: "Connect")
                // The second link as well is dropped only when bluetoothd handles the request.
                await fake.wait(for: "Disconnect")
                #expect(fake.state.withLock(\.connected) == paths)
                #expect(back.isUp.withLock(\.self) == false)
                fake.releaseDisconnections()
                // The device is removed from bluetoothd with its link, and has to be discovered again.
                await fake.wait(for: "StartDiscovery")
                fake.hear(one, on: adapter, serviceData: nil)
                try await group.waitForAll()
            }
            #expect(fake.state.withLock(\.connected) == paths + [paths[0]])
        }
    }

    @Test("A link that this device creates is dropped, also soon after one over which the other device was served")
    func ownAfterForeign() async throws {
        try await withFakeRadio(transport: .gatt) { fake, adapter, radio in
            let path = fake.path(of: one, on: adapter)
            let (served, serving) = AsyncStream<Void>.makeStream()
            try await radio.withListener(limit: 4, serving: { _ in serving.finish() }) { port in
                fake.acceptLink(of: one, on: adapter)
                let (root, owner) = try #require(fake.state.withLock(\.applications).first)
                let opening = GATTFrame(channel: 1, number: 0, flags: .opening, window: 1, data: [port.number])
                let frames = root.appending("service0").appending("characteristic1")
                let options: [String: Value] = ["device": .objectPath(path)]
                _ = try await fake.call(owner, frames, "WriteValue", [.bytes(opening.bytes), options.value])
                for await _ in served {}
                // It has dropped its link, and has not read the end of its channel.
                fake.set(path, "org.bluez.Device1", ["Connected": .boolean(false)])
                await dial(one, radio)
                await fake.wait(for: "Disconnect")
            }
            #expect(fake.state.withLock(\.connected) == [path])
        }
    }

    private func dial(_ address: String, _ radio: BlueZRadio) async {
        let radioAddress = RadioAddress("\(address)/random")
        _ = try? await radio.withChannel(to: radioAddress, port: .gattOnly, timeout: .seconds(3600)) { _ in }
    }
}

@Suite(
    "A central that connects and opens no channel does not silence this device",
    .endsWithin(minutes: 10, instances: 1)
)
struct IdleLinkTests {
    /// The addresses of centrals, in the order in which they connect.
    private let centrals = (1...6).map { "C0:00:00:00:01:0\($0)" }

    @Test("Its link is dropped; one of a device that was heard, that is paired, or that has a channel, is left alone")
    func dropped() async throws {
        var limits = IdleLinkLimits()
        (limits.channels, limits.gatt) = (.zero, .zero)
        try await withFakeRadio(idleLinkLimits: limits) { fake, adapter, radio in
            let (heard, paired, user) = (centrals[0], centrals[1], centrals[2])
            let (first, second, last) = (centrals[3], centrals[4], centrals[5])
            let userAddress = try #require(BluetoothAddress(user, kind: .random))
            fake.hear(heard, on: adapter, serviceData: nil)
            try await radio.withListener(limit: 4, serving: { _ in }) { _ in
                fake.set(fake.path(of: heard, on: adapter), "org.bluez.Device1", ["Connected": .boolean(true)])
                fake.acceptLink(of: paired, on: adapter, more: ["Paired": .boolean(true)])
                radio.links.withLock { $0.addUser(of: userAddress, isForeign: false) }
                fake.acceptLink(of: user, on: adapter)
                // Links are judged in any order: three that are dropped show that those before them were left alone.
                for idle in [first, second, last] {
                    fake.acceptLink(of: idle, on: adapter)
                    await fake.wait(for: "Disconnect")
                }
            }
            let dropped = fake.state.withLock(\.disconnected)
            #expect(dropped == [first, second, last].map { fake.path(of: $0, on: adapter) })
        }
    }

    @Test("A link whose channel has ended without a proof is dropped, also one that counts as another program's")
    func unproven() async throws {
        var limits = IdleLinkLimits()
        (limits.channels, limits.gatt, limits.lookInterval) = (.zero, .zero, .milliseconds(1))
        try await withFakeRadio(idleLinkLimits: limits) { fake, adapter, radio in
            let known = try #require(BluetoothAddress(centrals[0], kind: .random))
            let stranger = try #require(BluetoothAddress(centrals[1], kind: .random))
            try await radio.withListener(limit: 4, serving: { _ in }) { _ in
                for address in [known, stranger] { radio.links.withLock { $0.addUser(of: address, isForeign: true) } }
                radio.links.withLock { $0.recordProof(of: known) }
                for central in centrals.prefix(2) { fake.acceptLink(of: central, on: adapter) }
                // One over which no channel is opened shows that those before it were looked at while they were in use.
                fake.acceptLink(of: centrals[2], on: adapter)
                await fake.wait(for: "Disconnect")
                for address in [known, stranger] { radio.links.withLock { _ = $0.removeUser(of: address) } }
                await fake.wait(for: "Disconnect")
            }
            let dropped = fake.state.withLock(\.disconnected)
            #expect(dropped == [centrals[2], centrals[1]].map { fake.path(of: $0, on: adapter) })
        }
    }

    @Test("Idle links of strangers are dropped, and were not before")
    func silencing() async throws {
        // An hour stands for never, as it was in version 1.
        let (model, here) = (try await droppedLinks(after: .seconds(3600)), try await droppedLinks(after: .zero))
        measured(
            .idleConnection,
            onModel: "\(model) of 3 idle links are dropped",
            here: "\(here) of 3, if the attacker was not heard before"
        )
    }

    /// How many of three idle links are dropped when they may be idle for `limit`.
    private func droppedLinks(after limit: Duration) async throws -> Int {
        var limits = IdleLinkLimits()
        (limits.channels, limits.gatt) = (limit, limit)
        let dropped = Mutex(0)
        try await withFakeRadio(idleLinkLimits: limits) { fake, adapter, radio in
            try await radio.withListener(limit: 4, serving: { _ in }) { _ in
                for central in centrals.prefix(3) {
                    fake.acceptLink(of: central, on: adapter)
                    if limit == .zero { await fake.wait(for: "Disconnect") }
                }
            }
            dropped.withLock { $0 = fake.state.withLock(\.disconnected.count) }
        }
        return dropped.withLock(\.self)
    }

    @Test("An advertisement is registered again when an older link ends, and not after a newer one")
    func renewal() async throws {
        var limits = IdleLinkLimits()
        (limits.channels, limits.gatt) = (.zero, .zero)
        try await withFakeRadio(idleLinkLimits: limits) { fake, adapter, radio in
            let advertisement = Advertisement(service: BluetoothUUID(number: 1), data: [1], pace: .fast)
            fake.holdDisconnections()
            try await radio.withListener(limit: 4, serving: { _ in }) { _ in
                // That a link is to be dropped shows that the radio has noticed it.
                fake.acceptLink(of: centrals[0], on: adapter)
                await fake.wait(for: "Disconnect")
                try await radio.withAdvertisement(advertisement) {
                    let first = fake.advertisements
                    fake.releaseDisconnections()
                    await fake.wait(for: "UnregisterAdvertisement")
                    await fake.wait(for: "RegisterAdvertisement")
                    #expect(first.count == 1)
                }
            }
            #expect(fake.advertisements.isEmpty)
        }
        var renewal = AdvertisementRenewal()
        var count = 0
        let renewals = renewal.begin()
        renewal.registered()
        // Up before it, up after it, up after it and down after the renewal.
        let (first, second, third): (ObjectPath, ObjectPath, ObjectPath) = ("/1", "/2", "/3")
        for (device, isUp) in [(second, true), (second, false), (third, true), (first, false)] {
            renewal.apply(device, isUp: isUp)
        }
        for await _ in renewals {
            count += 1
            if count == 2 { break }
            renewal.apply(third, isUp: false)
        }
        #expect(count == 2)
    }

    @Test("Dropped links are told in the log once a minute")
    func log() {
        var reports = IdleLinkReports()
        let begin = ContinuousClock.now
        #expect(reports.record(at: begin) == 1)
        #expect(reports.record(at: begin + .seconds(1)) == nil)
        #expect(reports.record(at: begin + .seconds(59)) == nil)
        #expect(reports.record(at: begin + .seconds(60)) == 3)
    }
}

/// An event that has happened or not.
private final class Flag: Sendable {
    let isUp = Mutex(false)
}

/// A radio over a ``FakeBluetoothd`` with one adapter.
private func withFakeRadio(
    transport: ChannelTransport = .automatic,
    idleLinkLimits: IdleLinkLimits = IdleLinkLimits(),
    _ body: @escaping @Sendable (FakeBluetoothd, ObjectPath, BlueZRadio) async throws -> Void
) async throws {
    try await withPrivateBus { bus in
        // The test decides what ends, and no time-out of the radio does, however slow the machine is.
        let radio = BlueZRadio(
            bus: bus.address,
            transport: transport,
            dropLimit: .seconds(3600),
            deviceQueryTimeout: .seconds(3600),
            idleLinkLimits: idleLinkLimits,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try await withFakeBluetoothd(on: bus.address) { fake in
            let adapter = fake.addAdapter()
            fake.addAdvertising(to: adapter)
            fake.addGATT(to: adapter)
            try await withBackgroundTasks([{ try await radio.run() }]) {
                await awaiting("the radio to be ready") {
                    for await state in radio.states() {
                        if case .ready = state { break }
                    }
                }
                try await body(fake, adapter, radio)
            }
        }
    }
}
