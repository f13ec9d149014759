import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A program that has continued an activity reaches no other one", .endsWithin(minutes: 10))
struct StreamTokenTests {
    private struct App: ActivityOwner {
        typealias Delegate = String

        let number: Int
    }

    /// The tokens of the draft: a random number of the run, and the serial number of the activity.
    private struct NumberedActivities {
        let run: UInt32

        func token(of serial: UInt32) -> UInt64 { UInt64(run) << 32 | UInt64(serial) }
        func activity(of token: UInt64) -> UInt32? {
            UInt32(truncatingIfNeeded: token >> 32) == run ? UInt32(truncatingIfNeeded: token) : nil
        }
    }

    private static let others = 8
    private let laptop = DeviceID(number: 1)

    /// What a program can make of its token: what is near it, and what differs from it in one bit or in one half.
    private static func guesses(from token: UInt64) -> [UInt64] {
        let near = (1...1000 as ClosedRange<UInt64>).map { token &+ $0 } + (1...1000).map { token &- UInt64($0) }
        return near + (0..<64).map { token ^ 1 << $0 } + [token.byteSwapped, token >> 32, token << 32]
    }

    /// How many activities of other programs a device opens to a program that knows the token of the first of them.
    private func reached() throws -> Int {
        var origin = Origin<App>(streamTokenKey: .generate())
        let start = Moment(uptime: .zero, unixMicroseconds: 1_700_000_000_000_000)
        let type = try ActivityType("org.example.edit")
        var tokens: [UInt64] = []
        for number in 0...Self.others {
            let app = App(number: number)
            let now = start.advanced(by: .seconds(10 * number))
            let activity = try Activity(type: type, supportsContinuationStreams: true)
            let id = try origin.create(activity, owner: app, isEligible: true).id
            try origin.update(id, by: app, at: now) { $0.delegate = "/app" }
            try origin.becomeCurrent(id, by: app, at: now)
            let advertised = try #require(origin.advance(to: now).broadcast)
            let request = FetchRequest(number: advertised.number, purpose: .take(.random()))
            guard case .activity(let given) = origin.answer(to: request, from: laptop, at: now) else { continue }
            tokens.append(try #require(given.properties.streamToken))
            // Other programs of the same device have continued the others.
            origin.acknowledged(id, by: laptop)
        }
        let own = tokens[0]
        let answers = (Self.guesses(from: own) + [own]).map { token in
            origin.answer(to: StreamRequest(activity: token), from: laptop).activity
        }
        // Its own stream shows that the device would have opened the others.
        #expect(answers.last != .some(nil))
        return Set(answers.dropLast().compactMap(\.self)).count
    }

    @Test("The token of one activity does not lead to those of others")
    func others() throws {
        let draft = NumberedActivities(run: .random(in: 1 ... .max))
        let known = Set((1...UInt32(Self.others)).map { $0 + 1 })
        let model = Set(Self.guesses(from: draft.token(of: 1)).compactMap(draft.activity)).intersection(known)
        measured(
            .otherAppsStreams,
            onModel: "reaches \(model.count) of \(Self.others) other apps",
            here: "reaches \(try reached()) of \(Self.others)"
        )
    }
}
