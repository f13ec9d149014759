import HandoffModel
import HandoffRadio
import HandoffWire
import TestLimits
import Testing

@testable import HandoffCore

/// An origin, the air, an attacker that records and repeats, and a receiver, in all orders of events up to a bound.
///
/// The origin and the receiver are the shipped code; the model knows what a person sees on the origin.
@Suite("In all orders of events, a receiver shows what the origin shows", .endsWithin(minutes: 10))
struct NumberModelTests {
    /// What can happen next.
    enum Step: Hashable, CaseIterable {
        /// The person goes to one of two activities of one type, or leaves both.
        case first, second, none
        /// The advertisement is heard.
        case hear
        /// An attacker repeats the oldest advertisement that it has recorded, or the one before the last.
        case repeatOldest, repeatPrevious
        /// The receiver asks for the activity of its entry.
        case request
        /// A minute of quiet passes at the origin; the next slot begins.
        case minute, slot
        /// The daemon of the origin is started anew, a minute and more after its last start.
        case restart
        /// The origin's clock is set back by two minutes.
        case clockBack
    }

    struct State {
        var origin = Origin()
        var ids: [ActivityID] = []
        var now = Moment.start(100)
        var receiver = NearbyTable()
        /// What the attacker has recorded.
        var recorded: [NearbyTable.Report] = []
        /// What each number stood for when it was advertised, by its run.
        var meaning: [AdvertisementNumber: Int?] = [:]
        /// What the origin shows: 0, 1, or nil for nothing.
        var shown: Int?
        /// The last thing that the receiver has heard of the origin itself.
        var heard: NearbyTable.Report?
        var hasSetClock = false

        init() throws { try begin() }

        mutating func begin() throws {
            origin = Origin()
            ids = try (0..<2).map { number in
                let activity = try Activity.sample(userInfo: ["number": .integer(Int64(number))])
                return try origin.create(activity, owner: ":1.1", isEligible: true).id
            }
            shown = nil
        }
    }

    /// What a step has shown to be wrong; nil for nothing.
    static func apply(_ step: Step, to state: inout State) throws -> String? {
        switch step {
        case .first: try show(0, in: &state)
        case .second: try show(1, in: &state)
        case .none: try show(nil, in: &state)
        case .hear: return try hear(&state)
        case .repeatOldest: return try repeated(state.recorded.first, &state)
        case .repeatPrevious: return try repeated(state.recorded.dropLast().last, &state)
        case .request: return try request(&state)
        case .minute: wait(60, &state)
        case .slot: wait(900, &state)
        case .restart:
            wait(60, &state)
            try state.begin()
        case .clockBack:
            state.hasSetClock = true
            state.now = Moment(uptime: state.now.uptime, unixMicroseconds: state.now.unixMicroseconds - 120_000_000)
        }
        return nil
    }

    /// Time passes, in which the advertisement goes on and is not heard.
    private static func wait(_ seconds: Int, _ state: inout State) {
        state.now = state.now.advanced(by: .seconds(seconds))
        _ = state.origin.advance(to: state.now)
        state.now = state.now.advanced(by: .milliseconds(1))
    }

    private static func show(_ number: Int?, in state: inout State) throws {
        for (index, id) in state.ids.enumerated() where index != number {
            try state.origin.resignCurrent(id, by: ":1.1", at: state.now)
        }
        if let number { try state.origin.becomeCurrent(state.ids[number], by: ":1.1", at: state.now) }
        state.shown = number
        state.now = state.now.advanced(by: .seconds(3))
    }

    private static func hear(_ state: inout State) throws -> String? {
        guard let broadcast = state.origin.advance(to: state.now).broadcast else { return nil }
        let report = NearbyTable.Report(
            device: try .sample(1),
            typeHash: broadcast.content.activity?.typeHash,
            number: broadcast.number,
            hasWebpage: false,
            rssi: nil,
            address: RadioAddress("origin"),
            port: .sample
        )
        state.recorded.append(report)
        // The clock of the receiver is right; that of the origin may not be.
        _ = state.receiver.insert(report, at: state.now)
        state.heard = report
        let isAccepted = state.receiver.all.first.map { $0.lastSeen == state.now } ?? (report.typeHash == nil)
        if !isAccepted, !state.hasSetClock { return "\(report.number) of the origin itself was not accepted" }
        if let known = state.meaning.updateValue(state.shown, forKey: report.number), known != state.shown {
            return "\(report.number) has stood for two things"
        }
        return nil
    }

    private static func repeated(_ report: NearbyTable.Report?, _ state: inout State) throws -> String? {
        guard let report, let heard = state.heard, state.now.uptime - (state.lastHeard ?? .zero) < .seconds(30) else {
            return nil
        }
        let before = state.receiver.all.map(\.id)
        _ = state.receiver.insert(report, at: state.now)
        guard state.receiver.all.map(\.id) != before, report.number < heard.number else { return nil }
        return "the replay of \(report.number) has displaced \(heard.number)"
    }

    private static func request(_ state: inout State) throws -> String? {
        guard let entry = state.receiver.all.first else { return nil }
        _ = state.origin.advance(to: state.now)
        let answer = state.origin.answer(to: FetchRequest(number: entry.activity.number), at: state.now)
        switch answer {
        case .activity(let activity):
            let given = activity.userInfo["number"]
            let meant = state.meaning[entry.activity.number] ?? nil
            if given != meant.map({ .integer(Int64($0)) }) { return "\(entry.activity.number) gave another activity" }
        case .refusal(let refusal):
            _ = state.receiver.replace(entry: entry.id, by: refusal.current, at: state.now)
            if let current = refusal.current { state.meaning[current.activity.number] = .some(state.shown) }
            if state.shown == nil, refusal.current != nil { return "nothing is shown, and something was told" }
        default: return "an answer of another kind"
        }
        return nil
    }

    /// The number of events in a row that are tried.
    private static let depth = 6

    @Test(
        "No order of six events loses a change, accepts a replay, or gives another activity than the one that was shown"
    )
    func orders() throws {
        var (count, wrong): (Int, [String]) = (0, [])
        func explore(_ state: State, _ trace: [Step]) throws {
            guard trace.count < Self.depth, wrong.count < 5 else { return }
            for step in Step.allCases where step != trace.last || [.first, .second, .none].contains(step) == false {
                var next = state
                count += 1
                if let fault = try Self.apply(step, to: &next) {
                    wrong.append("\(trace + [step]): \(fault)")
                } else {
                    try explore(next, trace + [step])
                }
            }
        }
        try explore(State(), [])
        print("model of numbered advertisements: \(count) orders of up to \(Self.depth) events")
        #expect(wrong.isEmpty)
        #expect(count > 1_000_000)
    }
}

extension NumberModelTests.State {
    /// When the receiver has accepted an advertisement last.
    fileprivate var lastHeard: Duration? { receiver.all.first?.lastSeen.uptime }
}
