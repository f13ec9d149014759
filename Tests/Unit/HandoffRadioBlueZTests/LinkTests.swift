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
    idleLinkLimits: IdleLinkLimits = IdleLinkLimits(),
    _ body: @escaping @Sendable (FakeBluetoothd, ObjectPath, BlueZRadio) async throws -> Void
) async throws {
    try await withPrivateBus { bus in
        // The test decides what ends, and no time-out of the radio does, however slow the machine is.
        let radio = BlueZRadio(
            bus: bus.address,
            dropLimit: .seconds(3600),
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
