import HandoffModel
import HandoffTestVectors
import HandoffWire

/// One message of messages.json: its description, its bytes in hexadecimal, and its contents, or the reason why it is
/// refused.
struct MessageVector: Codable, Equatable, Sendable {
    var what: String
    var message: String
    var bytes: String
    /// What a writer writes who says the same, if those are other bytes.
    var written: String?
    var slot: UInt64?
    var number: UInt16?
    /// What an activity is for: `preview`, `freshPreview` or `take`.
    var purpose: String?
    /// The id of a take.
    var take: String?
    /// How a take ended, such as `continued app` or `failed cancelled`.
    var outcome: String?
    /// The token by which a stream is requested, in decimal.
    var streamName: String?
    /// The id of a pairing that is being reconciled.
    var pairing: String?
    /// Whether the caller's user has confirmed that pairing.
    var isConfirmed: Bool?
    var advertisingKey: String?
    var circleDigest: String?
    var circle: State?
    var activity: DescribedValue?
    var refusalCode: Int?
    var refusalMessage: String?
    /// What the device shows in place of the requested activity.
    var current: Current?
    var error: String?

    /// What a refusal says of the current activity.
    struct Current: Codable, Equatable, Sendable {
        let typeHash: String
        let slot: UInt64
        let number: UInt16
        let hasWebpage: Bool
        let hasDocument: Bool

        init(_ current: CurrentActivity) {
            typeHash = current.activity.typeHash.description
            (slot, number) = (current.activity.number.slot, current.activity.number.index)
            (hasWebpage, hasDocument) = (current.hasWebpage, current.hasDocument)
        }
    }

    /// What a device knows of a circle.
    struct State: Codable, Equatable, Sendable {
        /// The number of statements.
        let statements: Int
        let digest: String
        let advertisingKey: String
        let directedKey: String
        let knownKey: String?

        init(_ circle: CircleMessage) {
            statements = circle.statements?.count ?? 0
            (digest, advertisingKey) = (hex(circle.digest), hex(circle.advertisingKey))
            (directedKey, knownKey) = (hex(circle.directedKey), circle.knownKey.map { hex($0) })
        }
    }
}

extension MessageVector {
    /// What this code reads in these bytes.
    init(reading what: String, _ message: String, _ bytes: [UInt8]) {
        self.init(what: what, message: message, bytes: hex(bytes))
        do throws(WireError) {
            let written = try describe(bytes)
            self.written = written == bytes ? nil : hex(written)
        } catch {
            self.error = error.code.description
        }
    }

    /// The same with what a writer writes.
    func withWritten() -> Self {
        guard error == nil else { return self }
        var copy = self
        copy.written = Self(reading: what, message, HandoffTestVectors.bytes(bytes)).written
        return copy
    }

    /// The same with the contents of a report.
    func with(_ report: TakeReport) -> Self {
        var copy = self
        copy.describe(report)
        return copy
    }

    private mutating func describe(_ report: TakeReport) {
        take = hex(report.take.bytes)
        outcome =
            switch report.outcome {
            case .continued(let kind): "continued \(kind)"
            case .failed(let reason): "failed \(reason)"
            }
    }

    /// Adds what the bytes say; returns the bytes that this code writes for the same.
    private mutating func describe(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
        switch message {
        case "Request":
            let request = try Request(decoding: bytes)
            describe(request)
            return request.encode()
        case "Answer":
            let envelope = try AnswerEnvelope(decoding: bytes)
            circleDigest = envelope.circleDigest.map { hex($0) }
            describe(envelope.answer)
            return envelope.encode()
        case "TakeReport":
            let report = try TakeReport(decoding: bytes)
            describe(report)
            return report.encode()
        default:
            let acknowledgement = try Acknowledgement(decoding: bytes)
            advertisingKey = acknowledgement.advertisingKey.map { hex($0) }
            circle = acknowledgement.circle.map(State.init)
            return acknowledgement.encode()
        }
    }

    private mutating func describe(_ request: Request) {
        switch request {
        case .fetch(let request):
            (slot, number) = (request.number.slot, request.number.index)
            (purpose, take) = (request.purpose.name, request.purpose.take.map { hex($0.bytes) })
        case .circle(let request): circleDigest = hex(request.digest)
        case .report(let report): describe(report)
        case .stream(let request): streamName = "\(request.activity)"
        case .settle(let request):
            pairing = hex(request.pairing)
            isConfirmed = request.isConfirmed
        }
    }

    private mutating func describe(_ answer: Answer) {
        switch answer {
        case .activity(let activity): self.activity = DescribedValue(activity)
        case .refusal(let refusal):
            (refusalCode, refusalMessage) = (refusal.code.rawValue, refusal.message)
            current = refusal.current.map(Current.init)
        case .circle(let circle): self.circle = State(circle)
        case .noted, .stream: break
        case .settled(let key): advertisingKey = hex(key)
        }
    }
}

extension FetchRequest.Purpose {
    /// The name of the purpose in vectors.
    var name: String {
        switch self {
        case .preview(let isFresh): isFresh ? "freshPreview" : "preview"
        case .take: "take"
        }
    }
}
