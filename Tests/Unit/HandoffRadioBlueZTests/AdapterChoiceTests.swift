import Bluetooth
import DBus
import TestLimits
import Testing

@testable import BlueZ
@testable import HandoffRadioBlueZ

@Suite("The choice of the radio's adapter", .endsWithin(minutes: 10))
struct AdapterChoiceTests {
    private func adapter(_ name: String, _ power: Adapter.Power = .on, advertises: Bool = true) throws -> Adapter {
        Adapter(
            path: try ObjectPath("/org/bluez/\(name)"),
            incarnation: 1,
            address: try #require(BluetoothAddress("00:AA:01:00:00:00", kind: .public)),
            alias: "Computer",
            power: power,
            isDiscovering: false,
            isDiscoveringForOthers: false,
            isPlayingAudio: false,
            advertising: advertises ? Adapter.Advertising(active: 0, free: 3, honorsInterval: false) : nil,
            servesGATT: true,
            roles: [],
            release: BlueZRelease(5, 66)
        )
    }

    private func outcome(_ choice: inout AdapterChoice, _ adapters: [Adapter]) -> String {
        switch choice.choose(from: BlueZSnapshot(service: .running, adapters: adapters)) {
        case .success(let adapter): adapter.name
        case .failure(let error): error.code.description
        }
    }

    @Test("The first usable adapter is kept, even while it is off, until it is removed")
    func sticky() throws {
        var choice = AdapterChoice(name: nil)
        let outcomes = [
            outcome(&choice, []),
            outcome(&choice, [try adapter("hci0", .blocked)]),
            outcome(&choice, [try adapter("hci0", .off), try adapter("hci1")]),
            outcome(&choice, [try adapter("hci0"), try adapter("hci1")]),
            outcome(&choice, [try adapter("hci0"), try adapter("hci1", .off)]),
            outcome(&choice, [try adapter("hci0")]),
            outcome(&choice, [try adapter("hci0", .off), try adapter("hci1")]),
        ]
        #expect(outcomes == ["adapterAbsent", "blocked", "hci1", "hci1", "poweredOff", "hci0", "poweredOff"])
    }

    @Test("A named adapter is the only candidate")
    func named() throws {
        var choice = AdapterChoice(name: "hci1")
        let outcomes = [
            outcome(&choice, [try adapter("hci0")]),
            outcome(&choice, [try adapter("hci0"), try adapter("hci1", .off)]),
            outcome(&choice, [try adapter("hci0"), try adapter("hci1")]),
        ]
        #expect(outcomes == ["adapterAbsent", "poweredOff", "hci1"])
    }

    @Test("An adapter that cannot advertise yet is not ready")
    func notYet() throws {
        var choice = AdapterChoice(name: nil)
        let early = outcome(&choice, [try adapter("hci0", advertises: false)])
        let late = outcome(&choice, [try adapter("hci0")])
        #expect([early, late] == ["adapterAbsent", "hci0"])
    }

    @Test(
        "Without bluetoothd, the reason is reported",
        arguments: [
            (BlueZSnapshot.Service.absent, "serviceAbsent"), (.unknown, "serviceAbsent"),
            (.unreachable(.accessDenied), "accessDenied"),
        ]
    )
    func service(service: BlueZSnapshot.Service, expected: String) {
        var choice = AdapterChoice(name: nil)
        guard case .failure(let error) = choice.choose(from: BlueZSnapshot(service: service, adapters: [])) else {
            Issue.record("an adapter was chosen")
            return
        }
        #expect(error.code.description == expected)
    }
}
