import AsyncSupport
import HandoffAttackModel
import HandoffCore
import HandoffModel
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("One device leaves places for streams to the others", .endsWithin(minutes: 10))
struct StreamAdmissionTests {
    private let admission = ConnectionAdmission()
    private let liar = DeviceID(number: 1)

    /// Runs `body` while a device has as many open streams as it gets, and at most `count`; passes how many these are.
    private func holding(
        _ count: Int,
        of device: DeviceID,
        having open: Int = 0,
        _ body: (Int) async throws -> Void
    ) async throws {
        guard open < count, admission.hasRoomForStream(of: device) else { return try await body(open) }
        try await admission.withStream(of: device) {
            try await holding(count, of: device, having: open + 1, body)
        }
    }

    @Test("A device has eight streams at most, and all devices have 24")
    func limits() async throws {
        let limit = ConnectionAdmission.maximumStreamsPerDevice
        try await holding(24, of: liar) { taken in
            #expect(taken == limit)
            await #expect(throws: HandoffError.self) { try await admission.withStream(of: liar) {} }
            try await holding(24, of: DeviceID(number: 2)) { second in
                try await holding(24, of: DeviceID(number: 3)) { third in
                    #expect(second == limit && third == limit)
                    #expect(!admission.hasRoomForStream(of: DeviceID(number: 4)))
                }
            }
        }
        #expect(admission.hasRoomForStream(of: liar), "its streams have ended")
    }

    @Test("A device that opens all streams that it can leaves room for those of others")
    func attack() async throws {
        // The draft: places for all devices.
        let places = CountingSemaphore(24)
        for _ in 0..<24 { _ = places.tryAcquire() }
        let model = (0..<8).count { _ in places.tryAcquire() }
        try await holding(24, of: liar) { _ in
            try await holding(8, of: DeviceID(number: 2)) { opened in
                measured(
                    .allStreams,
                    onModel: "\(model) of 8 streams of other devices are opened",
                    here: "\(opened) of 8"
                )
            }
        }
    }
}
