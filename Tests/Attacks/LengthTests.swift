import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("The length of an answer does not tell what it is", .endsWithin(minutes: 10))
struct LengthTests {
    /// An answer, and the number of its kind.
    private typealias Sample = (kind: Int, length: Int)

    private static let samples = 800

    @Test("An attacker who knows how long the answers of each kind are guesses the kind no better than by chance")
    func kinds() throws {
        var random = SeededRandom(seed: 28)
        let (caller, origin) = (DeviceKeys.generate(), DeviceKeys.generate())
        let trial = try SessionTrial(origin, devices: [caller.publicKeys])
        var (model, here): ([Sample], [Sample]) = ([], [])
        for number in 0..<Self.samples {
            let kind = number % 4
            let answer = try Self.answer(of: kind, &random)
            model.append((kind, answer.encode().count))
            let request = FetchRequest(number: .some)
            var session = ClientSession(keys: caller, peer: origin.publicKeys, request: .fetch(request))
            var server = ServerSession(trial: trial)
            let first = try #require(try session.open(server.greeting))
            _ = try server.receiveRequest(first)
            here.append((kind, try server.answer(answer).count))
        }
        #expect(Set(here.map(\.length)).count == 1)
        measured(
            .answerLength,
            onModel: "right \(Self.success(model).percent) of the time",
            here: "\(Self.success(here).percent), like guessing"
        )
    }

    /// A random answer of a kind: a refusal, a web page, a circle, a stream.
    private static func answer(of kind: Int, _ random: inout SeededRandom) throws -> Answer {
        switch kind {
        case 0: return .refusal(Refusal(.noLongerCurrent, "It is not current any more."))
        case 1:
            let path = String(repeating: "a", count: Int.random(in: 20...200, using: &random))
            let page = try WebpageURL("https://example.org/" + path)
            return .activity(try Activity(type: .browsingWeb, title: "A page", webpageURL: page))
        case 2:
            // Two or three devices, each of which has added one or two others.
            let count = Int.random(in: 2...4, using: &random)
            let circle = CircleMessage(
                statements: (0..<count).map { _ in random.bytes(144) },
                digest: random.bytes(32),
                advertisingKey: random.bytes(44),
                directedKey: random.bytes(32),
                knownKey: random.bytes(8)
            )
            return .circle(circle)
        default: return .stream
        }
    }

    /// The share of the second half of the samples whose kind is the most frequent one that the first half has at the
    /// nearest length.
    private static func success(_ samples: [Sample]) -> Double {
        let (known, guessed) = (samples.prefix(samples.count / 2), samples.suffix(samples.count / 2))
        var counts: [Int: [Int: Int]] = [:]
        for sample in known { counts[sample.length, default: [:]][sample.kind, default: 0] += 1 }
        let right = guessed.count { sample in
            let nearest = counts.keys.min { (abs($0 - sample.length), $0) < (abs($1 - sample.length), $1) }
            let kinds = nearest.flatMap { counts[$0] } ?? [:]
            return kinds.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key == sample.kind
        }
        return Double(right) / Double(guessed.count)
    }
}
