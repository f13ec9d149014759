import HandoffCore
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Devices agree once they have met, whatever they changed while they were apart", .endsWithin(minutes: 10))
struct CircleHistoryTests {
    @Test("Random histories of 3 to 8 devices agree with a plain model at every step", arguments: 0..<60)
    func histories(seed: Int) throws {
        var history = try CircleHistory(seed: UInt64(seed), count: 3 + seed % 6)
        for step in 0..<150 {
            try history.step()
            for device in history.devices {
                try #require(device.names == device.model.names, "seed \(seed), step \(step)")
            }
            expectSecrecy(history, "seed \(seed), step \(step)")
        }
        try history.meetAll()
        expectAgreement(history, seed)
        expectSecrecy(history, "seed \(seed), at the end")
    }

    @Test("A history with a seed is the same history in every run")
    func determinism() throws {
        let names = try (0..<2).map { _ in
            var history = try CircleHistory(seed: 7, count: 5)
            for _ in 0..<100 { try history.step() }
            return history.devices.map { Set($0.names.values) }
        }
        #expect(names[0].count == names[1].count)
    }

    /// Two devices that trust each other have the same circle, to the byte.
    private func expectAgreement(_ history: CircleHistory, _ seed: Int) {
        for one in history.devices.indices {
            for other in history.devices.indices where one < other && history.areFriends(one, other) {
                let (left, right) = (history.devices[one].circle, history.devices[other].circle)
                #expect(left == right, "seed \(seed), devices \(one) and \(other)")
                #expect(left.digest == right.digest)
            }
        }
    }

    /// A device that was removed by this device, or by another one whose removal is known here, cannot read the
    /// advertisements of this device at any step; unless another device that also knew of the removal has trusted it
    /// again, and this device does not know that.
    private func expectSecrecy(_ history: CircleHistory, _ place: String) {
        for device in history.devices {
            for other in history.devices {
                guard let removal = device.circle.removal(of: other.id) else { continue }
                let isTrustedAnew = (other.circle[other.id]?.generation ?? 0) > removal.generation
                let isReader = other.canRead(device)
                #expect(!isReader || isTrustedAnew, "\(place)")
            }
        }
    }
}
