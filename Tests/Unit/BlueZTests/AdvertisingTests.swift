import BlueZ
import BlueZTestSupport
import Bluetooth
import DBus
import HandoffTestSupport
import TestLimits
import Testing

private let advertisement = LEAdvertisement(
    service: BluetoothUUID(number: 0x0f0e0d0c_0b0a_0908_0706_050403020100),
    data: [1, 2, 3],
    interval: 152...153
)

@Suite("Advertising through bluetoothd", .endsWithin(minutes: 10, instances: 1))
struct AdvertisingTests {
    @Test("The advertisement is registered before the body runs, and unregistered when the call returns")
    func registersAndUnregisters() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            let seen = try await bluez.withAdvertisement(advertisement, on: adapter) { fake.advertisements }
            let properties = try #require(seen.first?.properties)
            #expect(properties["Type"] == .string("peripheral"))
            #expect(properties["Discoverable"] == .boolean(true))
            #expect(properties["MinInterval"] == .uint32(152))
            #expect(properties["MaxInterval"] == .uint32(153))
            #expect(
                properties["ServiceData"]?.stringDictionary == [advertisement.service.description: .bytes([1, 2, 3])]
            )
            #expect(properties.keys.contains("LocalName") == false)
            #expect(properties.keys.contains("TxPower") == false)
            #expect(fake.advertisements.isEmpty)
        }
    }

    @Test("Each advertisement has its own object path")
    func freshPaths() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            let first = try await bluez.withAdvertisement(advertisement, on: adapter) { fake.advertisements[0].path }
            let second = try await bluez.withAdvertisement(advertisement, on: adapter) { fake.advertisements[0].path }
            #expect(first != second)
        }
    }

    @Test(
        "A refused registration throws an error with a code and a hint",
        arguments: [
            ("org.bluez.Error.Failed", "Failed to register advertisement", "advertisingRefused", "5.87"),
            ("org.bluez.Error.Failed", "Failed to parse advertisement.", "advertisingRefused", "parse"),
            ("org.bluez.Error.NotPermitted", "Maximum advertisements reached", "advertisingSlotsTaken", "taken"),
            ("org.bluez.Error.InvalidLength", "Too long", "invalidAdvertisement", "Too long"),
            ("org.freedesktop.DBus.Error.AccessDenied", "Rejected", "accessDenied", "policy"),
        ]
    )
    func refusals(name: String, message: String, code: String, hint: String) async throws {
        let error = try ErrorName(name)
        try await withFakeAdapter { fake, bluez, adapter in
            fake.fail("RegisterAdvertisement", error, message)
            do {
                try await bluez.withAdvertisement(advertisement, on: adapter) { _ = Issue.record("the body ran") }
                Issue.record("no error was thrown")
            } catch let error as BlueZError {
                #expect(error.code.description == code)
                #expect(error.message.contains(hint))
            }
            let again = try await bluez.withAdvertisement(advertisement, on: adapter) { true }
            #expect(again)
        }
    }

    @Test("Cancelling unregisters the advertisement before the call returns")
    func cancelled() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            await withTaskGroup(of: String.self) { group in
                group.addTask {
                    await errorCode {
                        try await bluez.withAdvertisement(advertisement, on: adapter) {
                            try await cancellation()
                        }
                    }
                }
                await fake.wait(for: "RegisterAdvertisement")
                group.cancelAll()
                let code = await group.next()
                #expect(code == "CancellationError()")
            }
            #expect(fake.advertisements.isEmpty)
        }
    }

    @Test(
        "The loss of the adapter cancels the body, and the error names the reason",
        arguments: ["poweredOff", "adapterAbsent"]
    )
    func losses(reason: String) async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            let code = await errorCode {
                try await bluez.withAdvertisement(advertisement, on: adapter) {
                    if reason == "poweredOff" {
                        fake.setPowered(adapter.path, false)
                    } else {
                        fake.removeAdapter(adapter.path)
                    }
                    try await cancellation()
                }
            }
            #expect(code == reason)
        }
    }

    @Test("A Release call from bluetoothd ends the advertisement")
    func released() async throws {
        try await withFakeAdapter { fake, bluez, adapter in
            let code = await errorCode {
                try await bluez.withAdvertisement(advertisement, on: adapter) {
                    let there = fake.advertisements[0]
                    _ = try await fake.connection.call(
                        MethodCall(
                            destination: there.owner,
                            path: there.path,
                            interface: "org.bluez.LEAdvertisement1",
                            member: "Release"
                        )
                    )
                    try await cancellation()
                }
            }
            #expect(code == "advertisementReleased")
        }
    }

    @Test("An advertisement ends when bluetoothd exits, and can be registered again when it is back")
    func restart() async throws {
        try await withBlueZAlone { bluez, bus in
            for _ in 1...2 {
                let code = await errorCode {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        let (starts, started) = AsyncStream<Void>.makeStream()
                        group.addTask {
                            try await withFakeBluetoothd(on: bus) { fake in
                                fake.addAdvertising(to: fake.addAdapter())
                                for await _ in starts { break }
                            }
                        }
                        let up = await bluez.first { $0.adapters.first?.advertising != nil }
                        group.addTask {
                            try await bluez.withAdvertisement(advertisement, on: up.adapters[0]) {
                                started.yield()
                                try await cancellation()
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                #expect(code == "serviceRestarted")
                await bluez.first { $0.service == .absent }
            }
        }
    }
}
