import BlueZ
import BlueZTestSupport
import Bluetooth
import DBus
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

private let service = BluetoothUUID(number: 0x0f0e0d0c_0b0a_0908_0706_050403020100)
private let peer = "C0:00:00:00:00:01"

@Suite("Discovery of devices", .endsWithin(minutes: 10, instances: 1))
struct DiscoveryTests {
    @Test("The first packet of a device, its later packets, and devices that another program has found are reported")
    func reports() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            fake.set(adapter.path, "org.bluez.Adapter1", ["Discovering": .boolean(true)])
            await bluez.first { $0.adapters.first?.isDiscovering == true }
            fake.hear("C0:00:00:00:00:09", on: adapter.path, serviceData: [service: [9]])
            // With this answer, the bus has passed on the signal: only then was the device known before.
            _ = try await fake.connection.owner(of: "org.bluez")
            let seen = try await bluez.withDiscovery(on: adapter, transform: { [$0] }) { reports in
                var seen: [[UInt8]?] = []
                for await report in reports {
                    seen.append(report.serviceData[service])
                    switch seen.count {
                    case 1: fake.hear(peer, on: adapter.path, serviceData: [service: [1]])
                    case 2: fake.hear(peer, on: adapter.path, serviceData: [service: [2]])
                    case 3: fake.hear(peer, on: adapter.path, serviceData: nil)
                    default: return seen
                    }
                }
                return seen
            }
            #expect(seen == [[9], [1], [2], [2]])
        }
    }

    @Test("A packet of a device that was found in an earlier discovery is reported with the service data that it had")
    func foundBefore() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            fake.hear(peer, on: adapter.path, serviceData: [service: [9]])
            // With this answer, the bus has passed on the signal: only then was the device known before.
            _ = try await fake.connection.owner(of: "org.bluez")
            let seen = try await bluez.withDiscovery(on: adapter, transform: { [$0] }) { reports in
                fake.hear(peer, on: adapter.path, serviceData: nil)
                return await reports.first { _ in true }
            }
            #expect(seen?.serviceData == [service: [9]])
        }
    }

    @Test("The filter is sent for each discovery, and bluetoothd has to accept it the first time")
    func refusedFilter() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            @Sendable func discover() async -> String {
                await errorCode { try await bluez.withDiscovery(on: adapter, transform: { [$0] }) { _ in } }
            }
            fake.fail("SetDiscoveryFilter", "org.bluez.Error.InvalidArguments", "refused")
            #expect(await discover() != "none")
            for _ in 1...2 { #expect(await discover() == "none") }
            #expect(fake.state.withLock(\.filters).count == 2)
        }
    }

    @Test(
        "The discovery filter has only the keys that the BlueZ release supports",
        arguments: [([:], 2), (["Version": .byte(9)], 3)] as [([MemberName: Value], Int)]
    )
    func filter(more: [MemberName: Value], count: Int) async throws {
        try await withFakeAdapter(more: more) { fake, bluez, adapter in
            try await bluez.withDiscovery(on: adapter, transform: { [$0] }) { _ in }
            let filter = try #require(fake.state.withLock(\.filters).first)
            #expect(filter.count == count)
            #expect(filter["Transport"] == .string("le"))
            #expect(filter["Pattern"] == .string(""))
            #expect((filter["DuplicateData"] != nil) == (count == 3))
        }
    }

    @Test("Two readers share one discovery session, which ends with the last reader")
    func sharing() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            try await bluez.withDiscovery(on: adapter, transform: { [$0] }) { _ in
                try await bluez.withDiscovery(on: adapter, transform: { [$0] }) { _ in }
                let one = fake.state.withLock { $0.sessions[adapter.path]?.count }
                #expect(one == 1)
            }
            let none = fake.state.withLock { $0.sessions[adapter.path]?.count }
            #expect(none == 0)
        }
    }

    @Test("A program that keeps discovery on is noticed, and that it has ended")
    func others() async throws {
        try await withBlueZAlone(settling: .zero) { ours, address in
            try await withFakeBluetoothd(on: address) { fake in
                _ = fake.addAdapter()
                let adapter = try #require(await ours.first { !$0.adapters.isEmpty }.adapters.first)
                @Sendable func window() async throws {
                    try await ours.withDiscovery(on: adapter, transform: { _ in [Void]() }) { _ in }
                }
                try await Connection.withConnection(to: address) { connection in
                    try await withBlueZ(on: connection) { theirs in
                        let same = try #require(await theirs.first { !$0.adapters.isEmpty }.adapters.first)
                        try await theirs.withDiscovery(on: same, transform: { _ in [Void]() }) { _ in
                            await ours.first { $0.adapters.first?.isDiscovering == true }
                            for _ in 1...3 { try await window() }
                            #expect(ours.snapshot.adapters.first?.isDiscoveringForOthers == true)
                        }
                    }
                }
                await ours.first { $0.adapters.first?.isDiscovering == false }
                try await window()
                #expect(ours.snapshot.adapters.first?.isDiscoveringForOthers == false)
            }
        }
    }

    @Test("A program that keeps discovery on is noticed also while ours is off for long, and that it has ended")
    func othersWithoutWindows() async throws {
        try await withBlueZAlone(settling: .zero, persistence: .zero) { ours, address in
            try await withFakeBluetoothd(on: address) { fake in
                let path = fake.addAdapter()
                await ours.first { !$0.adapters.isEmpty }
                fake.set(path, "org.bluez.Adapter1", ["Discovering": .boolean(true)])
                await ours.first { $0.adapters.first?.isDiscoveringForOthers == true }
                fake.set(path, "org.bluez.Adapter1", ["Discovering": .boolean(false)])
                await ours.first { $0.adapters.first?.isDiscoveringForOthers == false }
            }
        }
    }

    @Test("Discovery stops while it is paused, and continues afterwards")
    func quiet() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            try await bluez.withDiscovery(on: adapter, transform: { [$0] }) { _ in
                await bluez.first { $0.adapters.first?.isDiscovering == true }
                try await bluez.withDiscoveryPaused(on: adapter) {
                    let isSilent = fake.state.withLock { $0.sessions[adapter.path]?.isEmpty }
                    #expect(isSilent == true)
                    #expect(bluez.snapshot.adapters.first?.isDiscovering == false)
                }
                await bluez.first { $0.adapters.first?.isDiscovering == true }
            }
        }
    }

    @Test("A discovery session that was left over is stopped, and a new one is started")
    func leftOver() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            fake.fail("StartDiscovery", "org.bluez.Error.InProgress", "Operation already in progress")
            let ran = try await bluez.withDiscovery(on: adapter, transform: { [$0] }) { _ in true }
            #expect(ran)
        }
    }

    @Test(
        "A refusal of StartDiscovery has an error code",
        arguments: [
            ("org.bluez.Error.NotReady", "poweredOff"), ("org.bluez.Error.Failed", "discoveryRefused"),
            ("org.bluez.Error.InvalidArguments", "invalidArguments"),
        ]
    )
    func refusals(name: String, expected: String) async throws {
        let error = try ErrorName(name)
        try await withFakeAdapter { fake, bluez, adapter in
            fake.fail("StartDiscovery", error, "no")
            let code = await errorCode {
                try await bluez.withDiscovery(on: adapter, transform: { [$0] }) { _ in _ = Issue.record("body ran") }
            }
            #expect(code == expected)
        }
    }

    @Test("The call ends when discovery is stopped from outside", arguments: ["poweredOff", "discoveryEnded"])
    func losses(reason: String) async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            let code = await errorCode {
                try await bluez.withDiscovery(on: adapter, transform: { [$0] }) { _ in
                    await bluez.first { $0.adapters.first?.isDiscovering == true }
                    if reason == "poweredOff" {
                        fake.setPowered(adapter.path, false)
                    } else {
                        fake.set(adapter.path, "org.bluez.Adapter1", ["Discovering": .boolean(false)])
                    }
                    try await cancellation()
                }
            }
            #expect(code == reason)
        }
    }

    @Test("A reader that falls behind loses the oldest reports")
    func slowReader() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            let (heard, hearing) = AsyncStream<Void>.makeStream()
            let last = try await bluez.withDiscovery(
                on: adapter,
                limit: 1,
                transform: { report in
                    if report.serviceData[service] == [5] { hearing.yield() }
                    return [report]
                },
                { reports in
                    for number in UInt8(1)...5 { fake.hear(peer, on: adapter.path, serviceData: [service: [number]]) }
                    for await _ in heard { break }
                    // A report is delivered just after its transform: the second one proves that the first was delivered.
                    fake.hear(peer, on: adapter.path, serviceData: [service: [5]])
                    for await _ in heard { break }
                    for await report in reports { return report.serviceData[service] }
                    return nil
                }
            )
            #expect(last == [5])
        }
    }
}
