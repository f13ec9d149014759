import BlueZ
import BlueZTestSupport
import DBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The state of bluetoothd and its adapters", .endsWithin(minutes: 10, instances: 1))
struct AdapterTests {
    @Test("The snapshot reports a bluetoothd that is absent, starts, and exits")
    func bluetoothdComes() async throws {
        try await withBlueZAlone { bluez, bus in
            await bluez.first { $0.service == .absent }
            try await withFakeBluetoothd(on: bus) { fake in
                _ = fake.addAdapter()
                let snapshot = await bluez.first { !$0.adapters.isEmpty }
                #expect(snapshot.service == .running)
                #expect(snapshot.adapters.map(\.name) == ["hci0"])
            }
            await bluez.first { $0.service == .absent && $0.adapters.isEmpty }
        }
    }

    @Test("An adapter can advertise once its advertising interface has appeared")
    func advertisingComesLater() async throws {
        try await withFakeAndBlueZ { fake, bluez in
            let path = fake.addAdapter()
            let early = await bluez.first { !$0.adapters.isEmpty }
            #expect(early.adapters.first?.advertising == nil)
            fake.addAdvertising(to: path)
            let late = await bluez.first { $0.adapters.first?.advertising != nil }
            #expect(late.adapters.first?.advertising?.free == 3)
            #expect(late.adapters.first?.incarnation == early.adapters.first?.incarnation)
        }
    }

    @Test("An adapter that was switched off and on again remains lost for what used it before")
    func powerCycle() async throws {
        try await withFakeAndBlueZ { fake, bluez in
            let path = fake.addAdapter()
            let before = await bluez.first { !$0.adapters.isEmpty }
            let adapter = before.adapters[0]
            fake.setPowered(path, false)
            let off = await bluez.first { $0.adapters.first?.power == .off }
            #expect(off.loss(of: adapter)?.code == .poweredOff)
            fake.setPowered(path, true)
            let on = await bluez.first { $0.adapters.first?.power == .on }
            #expect(on.loss(of: adapter)?.code == .poweredOff)
            #expect(on.loss(of: on.adapters[0]) == nil)
        }
    }

    @Test("An adapter that is unplugged is lost, and one that is plugged in appears")
    func hotPlug() async throws {
        try await withFakeAndBlueZ { fake, bluez in
            let first = fake.addAdapter()
            let before = await bluez.first { !$0.adapters.isEmpty }
            let adapter = before.adapters[0]
            _ = fake.addAdapter("hci1", address: "00:AA:01:01:00:01")
            await bluez.first { $0.adapters.count == 2 }
            fake.removeAdapter(first)
            let left = await bluez.first { $0.adapters.map(\.name) == ["hci1"] }
            #expect(left.loss(of: adapter)?.code == .adapterAbsent)
        }
    }

    @Test("The end of the bus ends everything with the error .disconnected")
    func busEnds() async throws {
        try await withPrivateBus { bus in
            let address = bus.address
            let code = await errorCode {
                try await Connection.withConnection(to: address) { connection in
                    try await withBlueZ(on: connection) { bluez in
                        await bluez.first { $0.service == .absent }
                        await bus.terminate()
                        for await _ in bluez.snapshots() {}
                    }
                }
            }
            #expect(code == "disconnected")
        }
    }
}
