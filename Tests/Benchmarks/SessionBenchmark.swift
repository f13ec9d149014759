import Crypto
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// The cost of a whole session for both sides together, and the number of bytes it sends, without a radio.
enum SessionBenchmark {
    /// The bytes that one exchange sent.
    private struct Traffic {
        var request = 0
        var answer = 0
        var acknowledgement = 0
        var greeting = 0
        /// The bytes of all these that are padding, with its lengths.
        var padding = 0

        /// The bytes of each message, in the order in which they are sent.
        var messages: [Int] { [greeting, request, answer, acknowledgement] }
        var total: Int { messages.reduce(0, +) }
        var packets: Int { messages.map(SessionBenchmark.linkLayerPackets).reduce(0, +) }
    }

    /// What version 1 of the protocol sent for the same activity, as it was recorded: a request, an answer and an
    /// acknowledgement.
    private enum VersionOne {
        static let messages = [60, 1061, 19]

        static func ratio(_ bytes: Int) -> String {
            let before = messages.reduce(0, +)
            return "\(ResultTable.digits(Double(bytes) / Double(before))) × version 1's \(before)"
        }

        static func packetRatio(_ packets: Int) -> String {
            let before = messages.map(SessionBenchmark.linkLayerPackets).reduce(0, +)
            return "\(ResultTable.digits(Double(packets) / Double(before))) × version 1's \(before)"
        }
    }

    /// How many packets of 251 bytes the link layer sends for a message over a credit-based channel whose SDUs have 4160
    /// bytes, as handoffd announces: each packet has a header of 4 bytes, and the first of an SDU the SDU's length in 2 bytes
    /// (Bluetooth Core, Vol 3, Part A, 3.4; Vol 6, Part B, 2.4).
    private static func linkLayerPackets(of message: Int) -> Int {
        stride(from: 0, to: message, by: 4160).map { start in
            (min(4160, message - start) + 2 + 246) / 247
        }.reduce(0, +)
    }

    static func table(_ effort: Effort) throws -> ResultTable {
        var table = ResultTable("Session: 1 KiB requested, sent and acknowledged; the work of both sides")
        let activity = try SampleActivity(bytes: 1024).activity()
        let sessions = try [1, 20].map { count in
            let exchange = try exchange(of: activity, trusted: count)
            let before = count == 1 ? "14.6" : "22.7"
            return BenchmarkCase(
                "\(count) trusted by the origin",
                against: ["X25519"],
                note: "version 1: \(before) × X25519"
            ) { try exchange().total }
        }
        try table.measure([agreement] + sessions, effort)
        let traffic = try exchange(of: activity, trusted: 1)()
        let payload = activity.encodedSize
        let budget = Budget.bytes(Int(Double(payload) * 1.15 + 300))
        let parts = traffic.messages.map(String.init).joined(separator: " + ")
        let (bytes, packets) = (VersionOne.ratio(traffic.total), VersionOne.packetRatio(traffic.packets))
        table.append("bytes both ways", "\(traffic.total)", [parts, "payload \(payload)", bytes])
        table.append("PDUs both ways", "\(traffic.packets)", ["of the link layer", packets])
        let unpadded = traffic.total - traffic.padding
        let verdict = budget.verdict(on: Double(unpadded))
        table.append("of these no padding", "\(unpadded)", ["padding \(traffic.padding)", verdict])
        return table
    }

    private static var agreement: BenchmarkCase {
        let own = Curve25519.KeyAgreement.PrivateKey()
        let other = Curve25519.KeyAgreement.PrivateKey().publicKey
        return BenchmarkCase("X25519", note: "one agreement, by swift-crypto") {
            try own.sharedSecretFromKeyAgreement(with: other).withUnsafeBytes { Int($0[0]) }
        }
    }

    /// A session between an origin that trusts `count` devices and the last of these devices.
    private static func exchange(of activity: Activity, trusted count: Int) throws -> () throws -> Traffic {
        let origin = DeviceKeys.generate()
        let devices = (0..<count).map { _ in DeviceKeys.generate() }
        let trial = try SessionTrial(origin, devices: devices.map(\.publicKeys))
        let caller = devices[count - 1]
        let request = Request.fetch(FetchRequest(number: AdvertisementNumber(slot: 1, lowNineBits: 1)))
        return {
            var fetch = ClientSession(keys: caller, peer: origin.publicKeys, request: request)
            var serve = ServerSession(trial: trial)
            guard let first = try fetch.open(serve.greeting) else { throw BrokenExchange() }
            guard try serve.receiveRequest(first)?.device == caller.publicKeys.device else { throw BrokenExchange() }
            let second = try serve.answer(.activity(activity))
            guard try fetch.receive(second)?.answer == .activity(activity) else { throw BrokenExchange() }
            let third = try fetch.acknowledge()
            guard try serve.acknowledge(third) else { throw BrokenExchange() }
            return Traffic(
                request: first.count,
                answer: second.count,
                acknowledgement: third.count,
                greeting: serve.greeting.count,
                padding: [request.encode(), Answer.activity(activity).encode(), Acknowledgement().encode()].enumerated()
                    .reduce(0) { sum, message in
                        let minimum = message.offset == 1 ? MessagePadding.smallestAnswer : MessagePadding.smallest
                        let count = message.element.count
                        return sum + MessagePadding.size(of: count, atLeast: minimum) - count
                    }
            )
        }
    }

    private struct BrokenExchange: Error {}
}
