import Bluetooth
import HandoffCore
import HandoffRadio
import TestLimits
import Testing

@Suite("Advertisements under the own key are a hint, and a session proves a copy", .endsWithin(minutes: 10))
struct OwnKeyDetectorTests {
    private var detector = OwnKeyDetector(startSlot: 10)
    private let endpoint = PeerEndpoint(
        address: RadioAddress("C0:00:00:00:00:01/random"),
        port: LEPSM(lowFiveBits: 1)
    )

    private mutating func recordForeign(slot: UInt64, at uptime: Duration = .zero) -> Bool {
        detector.recordForeign(slot: slot, from: endpoint, at: uptime)
    }

    @Test("Advertisements of the slot of the start, and of earlier ones, are ignored, and nobody is called")
    mutating func beforeTheStart() {
        let early = (UInt64(0)...10).map { recordForeign(slot: $0) }
        #expect(!early.contains(true))
        #expect(!detector.isSuspected(at: .seconds(1)))
        let call = detector.nextCall(slot: 10)
        #expect(call == nil)
        let later = recordForeign(slot: 11)
        #expect(later)
    }

    @Test("A hint is new once, and expires an hour after the last advertisement")
    mutating func expiry() {
        var isNew = [recordForeign(slot: 11, at: .seconds(0))]
        isNew.append(recordForeign(slot: 12, at: .seconds(1000)))
        #expect(detector.isSuspected(at: .seconds(4599)))
        #expect(!detector.isSuspected(at: .seconds(4600)))
        isNew.append(recordForeign(slot: 20, at: .seconds(5000)))
        #expect(isNew == [true, false, true])
    }

    @Test("The sender is called once in a slot, however often it is heard, and not any more once it is proved")
    mutating func calls() {
        var calls: [PeerEndpoint?] = []
        for slot: UInt64 in [11, 11, 12] {
            _ = recordForeign(slot: slot)
            calls.append(detector.nextCall(slot: slot))
            calls.append(detector.nextCall(slot: slot))
        }
        #expect(calls == [endpoint, nil, nil, nil, endpoint, nil])
        let proofs = [detector.recordProof(), detector.recordProof()]
        #expect(proofs == [true, false])
        #expect(detector.isCopyProved)
        _ = recordForeign(slot: 13)
        let afterProof = detector.nextCall(slot: 13)
        #expect(afterProof == nil)
    }

    @Test("A call that is not answered can go on where the sender was heard last")
    mutating func newestEndpoint() {
        #expect(detector.latestEndpoint == nil)
        _ = recordForeign(slot: 11)
        _ = detector.nextCall(slot: 11)
        let moved = PeerEndpoint(address: RadioAddress("C0:00:00:00:00:02/random"), port: endpoint.port)
        _ = detector.recordForeign(slot: 11, from: moved, at: .zero)
        #expect(detector.latestEndpoint == moved)
        let secondCall = detector.nextCall(slot: 11)
        #expect(secondCall == nil)
    }

    @Test("This device's own calls are recognized when they come back")
    mutating func ownCalls() {
        func message(_ number: UInt8, rest: [UInt8] = [1, 2]) -> [UInt8] {
            [0, 113] + [UInt8](repeating: number, count: 32) + rest
        }
        for number in 0..<UInt8(8) { detector.recordCall(message(number)) }
        #expect((0..<UInt8(8)).allSatisfy { detector.isOwnCall(message($0)) })
        #expect(detector.isOwnCall(message(7, rest: [1, 2, 3])), "with the beginning of another message")
        #expect(!detector.isOwnCall(message(9)))
        detector.recordCall(message(9))
        #expect(detector.isOwnCall(message(9)) && !detector.isOwnCall(message(0)))
    }
}
