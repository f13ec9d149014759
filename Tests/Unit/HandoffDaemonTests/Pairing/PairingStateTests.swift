import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("A pairing that was not reconciled causes calls and answers for a limited time", .endsWithin(minutes: 10))
struct PairingStateTests {
    private static let day = 24 * 60 * 60
    private let identity = Identity(keys: .generate())
    private let peer = DeviceKeys.generate()
    private let settlingKey = AdvertisingKey.generate()

    private func moment(_ seconds: Int) -> Moment {
        Moment(uptime: .seconds(seconds), unixMicroseconds: 1_700_000_000_000_000 + Int64(seconds) * 1_000_000)
    }

    /// The state right after a request that has ended so.
    private func state(_ status: PairingRecord.Status) throws -> PairingState {
        let record = PairingRecord(
            id: try #require(PairingID(bytes: [UInt8](repeating: 7, count: 8))),
            peer: DeviceIdentity(publicKeys: peer.publicKeys, name: try DeviceName("tablet")),
            settlingKey: settlingKey,
            status: status,
            began: moment(0).unixMicroseconds
        )
        var state = try PairingState(PairingRecords([record]), for: identity, at: moment(0))
        state.endRequest(at: moment(0))
        return state
    }

    /// Whether the device calls its peer when it hears the peer's unconfirmed advertisement.
    private func calls(_ state: inout PairingState, at now: Moment) -> Bool {
        let sealer = AdvertisementSealer(key: settlingKey, slot: now.slot)
        let report = AdvertisementReport(
            address: RadioAddress("C0:00:00:00:00:01/random"),
            service: Engine.service,
            data: sealer.seal(
                AdvertisementPayload(
                    hasWebpage: false,
                    port: .sample,
                    typeHash: nil,
                    number: AdvertisementNumber(slot: now.slot, lowNineBits: 0)
                ).encode()
            ),
            rssi: -60
        )
        let isHeard = state.receive(report, slot: now.slot)
        #expect(isHeard)
        return state.nextReconciliation(at: now, [:]) != nil
    }

    @Test("A device whose user has not confirmed calls and scans for two minutes, and answers for a day")
    func notPaired() throws {
        var state = try state(.notPaired)
        let (soon, late) = (calls(&state, at: moment(60)), calls(&state, at: moment(120)))
        #expect(soon && !late)
        #expect(state.effort(at: moment(119)) == .continuous)
        #expect(state.effort(at: moment(120)) == nil)
        #expect(state.trial(at: moment(Self.day - 1)) != nil)
        #expect(state.trial(at: moment(Self.day)) == nil)
    }

    @Test(
        "A device that is paired calls for as long as its peer may be unconfirmed, and an unconfirmed one, too: a week",
        arguments: [PairingRecord.Status.paired, .unconfirmed]
    )
    func others(status: PairingRecord.Status) throws {
        var state = try state(status)
        let end = 7 * Self.day
        let (soon, late) = (calls(&state, at: moment(end - 1)), calls(&state, at: moment(end)))
        #expect(soon && !late)
        #expect(state.trial(at: moment(end - 1)) != nil)
        #expect(state.trial(at: moment(end)) == nil)
        #expect(state.effort(at: moment(end)) == nil)
    }
}
