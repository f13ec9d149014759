import HandoffCore
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("The origin gives streams to the devices that continue its activities", .endsWithin(minutes: 10))
struct OriginStreamTests {
    var origin = Origin()
    let holder: DeviceID
    let other: DeviceID

    init() throws {
        holder = try DeviceID("0123456789abcdef")
        other = try DeviceID("fedcba9876543210")
    }

    /// An activity that is current and accepts streams, and its stream token in the answer to a fetch of that device, or
    /// of `holder`.
    private mutating func open(for device: DeviceID? = nil) throws -> (id: ActivityRegister.ID, name: UInt64) {
        let activity = try Activity.sample().with { $0.supportsContinuationStreams = true }
        let id = try origin.create(activity, owner: ":1.1", isEligible: true).id
        try origin.update(id, by: ":1.1", at: .at(0)) { $0.delegate = "/app" }
        try origin.becomeCurrent(id, by: ":1.1", at: .at(0))
        _ = origin.advance(to: .at(0))
        guard
            case .activity(let given) = origin.answer(
                to: try .sample(),
                from: device ?? holder,
                at: .at(1)
            ),
            let name = given.properties.streamToken
        else { throw NoName() }
        return (id, name)
    }

    private struct NoName: Error {}

    private func code(_ name: UInt64, from device: DeviceID) -> Refusal.Code? {
        guard case .refusal(let refusal) = origin.answer(to: StreamRequest(activity: name), from: device).answer else {
            return nil
        }
        return refusal.code
    }

    @Test("A device that has acknowledged the activity gets a stream, and one without a take does not")
    mutating func holders() throws {
        let (id, name) = try open()
        #expect(code(name, from: holder) == .noSuchActivity, "it knows the token, and has begun no take")
        origin.acknowledged(id, by: holder)
        #expect(code(name, from: holder) == nil)
        #expect(code(name, from: other) == .noSuchActivity)
    }

    @Test("A token is of use to the device only that took the activity with it")
    mutating func tokenOfAnother() throws {
        let (id, name) = try open()
        for device in [holder, other] { origin.acknowledged(id, by: device) }
        #expect(code(name, from: holder) == nil)
        #expect(code(name, from: other) == .noSuchActivity)
    }

    @Test("Streams are given as long as the activity exists, whether or not it is current")
    mutating func life() throws {
        let (id, name) = try open()
        origin.acknowledged(id, by: holder)
        try origin.resignCurrent(id, by: ":1.1", at: .at(2))
        #expect(code(name, from: holder) == nil)
        try origin.invalidate(id, by: ":1.1", at: .at(3))
        #expect(code(name, from: holder) == .noSuchActivity)
    }

    @Test("Streams are given only as long as the app accepts them")
    mutating func unsupported() throws {
        let (id, name) = try open()
        origin.acknowledged(id, by: holder)
        try origin.update(id, by: ":1.1", at: .at(2)) { $0.delegate = nil }
        #expect(code(name, from: holder) == .streamsNotSupported)
    }
}
