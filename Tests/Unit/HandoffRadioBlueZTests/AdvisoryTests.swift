import Bluetooth
import DBus
import HandoffRadio
import TestLimits
import Testing

@testable import BlueZ
@testable import HandoffRadioBlueZ

@Suite("Advisories about an adapter", .endsWithin(minutes: 10))
struct AdvisoryTests {
    private static func advisories(
        alias: String,
        _ configuration: String = "",
        isScannedByOthers: Bool = false
    ) throws -> [String] {
        let adapter = Adapter(
            path: "/org/bluez/hci0",
            incarnation: 1,
            address: try #require(BluetoothAddress("00:AA:01:00:00:00", kind: .public)),
            alias: alias,
            power: .on,
            isDiscovering: false,
            isDiscoveringForOthers: isScannedByOthers,
            isPlayingAudio: false,
            advertising: Adapter.Advertising(active: 0, free: 3, honorsInterval: true),
            servesGATT: true,
            roles: [],
            release: BlueZRelease(5, 66)
        )
        return RadioAdvisory.all(for: adapter, MainConfiguration(configuration)).map(\.name)
    }

    @Test(
        "A Bluetooth name that may name the person or the host is reported",
        arguments: ["anna-thinkpad", "Anna's laptop", "laptop 7", "fedora", "PC-1F3A", "BlueZ anna", "Büro"]
    )
    func telling(alias: String) throws {
        #expect(try Self.advisories(alias: alias, "[General]\nPrivacy = device") == ["device-name"])
    }

    @Test("Another program that scans all the time is reported")
    func otherScan() throws {
        let advisories = try Self.advisories(alias: "PC", "[General]\nPrivacy = device", isScannedByOthers: true)
        #expect(advisories == ["other-scan"])
    }

    @Test(
        "A neutral name is not reported",
        arguments: ["", "Computer", "laptop", " PC ", "Linux", "BlueZ", "BlueZ 5.66"]
    )
    func neutral(alias: String) throws {
        #expect(try Self.advisories(alias: alias, "[General]\nPrivacy = device").isEmpty)
        #expect(try Self.advisories(alias: alias) == ["public-address"])
    }
}
