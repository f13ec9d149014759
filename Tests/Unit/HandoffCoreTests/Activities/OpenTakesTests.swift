import HandoffCore
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("The origin learns how other devices go on with its activities", .endsWithin(minutes: 10))
struct OpenTakesTests {
    var origin = Origin()
    let desktop: DeviceID
    let tablet: DeviceID

    init() throws {
        desktop = try .sample(1)
        tablet = try .sample(2)
    }

    /// An activity that is current.
    private mutating func publish(_ name: String = "edit") throws -> ActivityRegister.ID {
        let id = try origin.create(.sample(name), owner: ":1.1", isEligible: true).id
        try origin.becomeCurrent(id, by: ":1.1", at: .at(0))
        _ = origin.advance(to: .at(0))
        return id
    }

    private func continued(_ number: UInt8) throws -> TakeReport { TakeReport(try .sample(number), .continued(.app)) }

    @Test("A report finds the activity of its take once, with or without the acknowledgement")
    mutating func once() throws {
        let id = try publish()
        for (number, isAcknowledged) in [(UInt8(1), true), (2, false)] {
            origin.begin(try .sample(number), of: id, by: desktop, at: .at(0))
            if isAcknowledged { origin.acknowledged(try .sample(number), of: id, by: desktop) }
            #expect(origin.end(try continued(number), by: desktop, at: .at(1))?.id == id)
            #expect(origin.end(try continued(number), by: desktop, at: .at(1)) == nil, "a repetition")
            let failed = TakeReport(try .sample(number), .failed(.appFailed))
            #expect(origin.end(failed, by: desktop, at: .at(1)) == nil, "the first report counts")
        }
    }

    @Test("A report of another device, of a made-up take, or of another run of the daemon finds nothing")
    mutating func foreign() throws {
        let id = try publish()
        origin.begin(try .sample(1), of: id, by: desktop, at: .at(0))
        #expect(origin.end(try continued(1), by: tablet, at: .at(1)) == nil)
        #expect(origin.end(try continued(2), by: desktop, at: .at(1)) == nil)
        var restarted = Origin(key: 8)
        #expect(restarted.end(try continued(1), by: desktop, at: .at(1)) == nil)
        #expect(origin.end(try continued(1), by: desktop, at: .at(1))?.id == id, "none of them has ended the take")
    }

    @Test("Two devices may use the same number for their takes")
    mutating func sameNumber() throws {
        let (one, other) = (try publish("edit"), try publish("draw"))
        origin.begin(try .sample(1), of: one, by: desktop, at: .at(0))
        origin.begin(try .sample(1), of: other, by: tablet, at: .at(0))
        #expect(origin.end(try continued(1), by: tablet, at: .at(1))?.id == other)
        #expect(origin.end(try continued(1), by: desktop, at: .at(1))?.id == one)
    }

    @Test("A take that begins again in a repeated session is one take")
    mutating func again() throws {
        let id = try publish()
        for second in 0..<3 { origin.begin(try .sample(1), of: id, by: desktop, at: .at(Double(second))) }
        #expect(origin.end(try continued(1), by: desktop, at: .at(5))?.id == id)
        #expect(origin.end(try continued(1), by: desktop, at: .at(5)) == nil)
    }

    @Test("A take without a report ends in its time, and is named only if the activity had arrived")
    mutating func expiry() throws {
        let id = try publish()
        for number in UInt8(1)...3 { origin.begin(try .sample(number), of: id, by: desktop, at: .at(Double(number))) }
        for number in UInt8(1)...2 { origin.acknowledged(try .sample(number), of: id, by: desktop) }
        #expect(origin.end(try continued(1), by: desktop, at: .at(661)) == nil, "too late by a moment")
        #expect(origin.expireTakes(at: .at(660.9)).isEmpty)
        let next = try #require(origin.advance(to: .at(600)).next)
        #expect(next <= Moment.at(661).uptime)
        #expect(try origin.expireTakes(at: .at(700)).map(\.id) == [.sample(1), .sample(2)])
        #expect(origin.expireTakes(at: .at(800)).isEmpty)
    }

    @Test("The takes of an activity end with it, and those of a device with its removal")
    mutating func removal() throws {
        let (one, other) = (try publish("edit"), try publish("draw"))
        origin.begin(try .sample(1), of: one, by: desktop, at: .at(0))
        origin.begin(try .sample(2), of: other, by: desktop, at: .at(0))
        origin.begin(try .sample(3), of: other, by: tablet, at: .at(0))
        try origin.invalidate(one, by: ":1.1", at: .at(1))
        #expect(origin.end(try continued(1), by: desktop, at: .at(1)) == nil)
        origin.forgetTakes(by: desktop)
        #expect(origin.end(try continued(2), by: desktop, at: .at(1)) == nil)
        _ = origin.remove(ownedBy: ":1.1", at: .at(1))
        #expect(origin.end(try continued(3), by: tablet, at: .at(1)) == nil)
        origin.begin(try .sample(4), of: one, by: desktop, at: .at(2))
        #expect(origin.expireTakes(at: .at(1000)).isEmpty)
    }

    @Test("A device that begins takes without end displaces only its own")
    func bounded() throws {
        var takes = OpenTakes()
        takes.begin(try .sample(1), of: 1, by: tablet, at: .at(0))
        for number in UInt8.min...UInt8.max { takes.begin(try .sample(number), of: 1, by: desktop, at: .at(0)) }
        #expect(takes.count == 1 + OpenTakes.maximumPerDevice)
        #expect(takes.end(try .sample(1), by: tablet, at: .at(1)) != nil)
        #expect(takes.end(try .sample(255), by: desktop, at: .at(1)) != nil)
        #expect(takes.end(try .sample(1), by: desktop, at: .at(1)) == nil)
    }

    @Test("A preview asks for no save and grants no stream, and a take does both")
    mutating func preview() throws {
        let activity = try Activity.sample().with { $0.supportsContinuationStreams = true }
        let id = try origin.create(activity, owner: ":1.1", isEligible: true).id
        try origin.update(id, by: ":1.1", at: .at(0)) {
            $0.delegate = "/app"
            $0.needsSave = true
        }
        try origin.becomeCurrent(id, by: ":1.1", at: .at(0))
        _ = origin.advance(to: .at(0))
        let preview = try FetchRequest.sample(for: .preview)
        #expect(origin.prepare(for: preview, at: .at(1)) == .ready)
        #expect(try origin.activity(id).needsSave)
        #expect(origin.answer(to: preview, at: .at(1)).activity?.properties.streamToken == nil)
        #expect(try origin.prepare(for: .sample(for: .preview(isFresh: true)), at: .at(1)) != .ready)
        #expect(origin.prepare(for: preview, at: .at(1)) == .ready, "it does not wait for the save of others")
        #expect(try origin.prepare(for: .sample(), at: .at(1)) == .saving(id, asking: nil))
        #expect(try origin.answer(to: .sample(), at: .at(1)).activity?.properties.streamToken != nil)
    }

    @Test("A device may open streams from the answer to its take on, before the acknowledgement and after the report")
    mutating func streams() throws {
        let activity = try Activity.sample().with { $0.supportsContinuationStreams = true }
        let id = try origin.create(activity, owner: ":1.1", isEligible: true).id
        try origin.update(id, by: ":1.1", at: .at(0)) { $0.delegate = "/app" }
        try origin.becomeCurrent(id, by: ":1.1", at: .at(0))
        _ = origin.advance(to: .at(0))
        let given = try #require(try origin.answer(to: .sample(), at: .at(1)).activity)
        let request = StreamRequest(activity: try #require(given.properties.streamToken))
        #expect(origin.answer(to: request, from: desktop).answer.refusalCode == .noSuchActivity)
        origin.begin(try .sample(1), of: id, by: desktop, at: .at(1))
        // The acknowledgement and this request are on channels of their own: either may be the first to arrive.
        #expect(origin.answer(to: request, from: desktop).answer == .stream)
        _ = origin.end(try continued(1), by: desktop, at: .at(2))
        #expect(origin.answer(to: request, from: desktop).answer == .stream)
        #expect(origin.answer(to: request, from: tablet).answer.refusalCode == .noSuchActivity)
    }
}
