import FoundationEssentials
import HandoffModel

/// An answer, with the digest of the answering device's circle beside it.
package struct AnswerEnvelope: Hashable, Sendable {
    /// The number of bytes of a circle digest.
    package static let circleDigestBytes = CircleMessage.digestBytes

    package let answer: Answer
    /// The digest of the listener's circle; nil when the listener does not send it.
    package let circleDigest: [UInt8]?

    package init(_ answer: Answer, circleDigest: [UInt8]? = nil) {
        self.answer = answer
        self.circleDigest = circleDigest
    }

    /// Returns the encoded answer and digest.
    package func encode() -> [UInt8] {
        var message = Handoff_V1_Answer()
        switch answer {
        case .activity(let activity): message.activity = Handoff_V1_Activity(activity)
        case .refusal(let refusal): message.refusal = Handoff_V1_Refusal(refusal)
        case .stream: message.stream = Handoff_V1_StreamOpened()
        case .circle(let circle): message.circle = Handoff_V1_CircleState(circle)
        case .settled(let advertisingKey): message.settled.advertisingKey = Data(advertisingKey)
        case .noted: message.noted = Handoff_V1_ReportNoted()
        }
        if let circleDigest { message.circleDigest = Data(circleDigest) }
        return MessageCoding.encode(message)
    }

    /// Decodes both; a digest of another length is ignored, refusals with unknown codes are accepted.
    ///
    /// - Throws: ``WireError``; ``WireError/Code/unknownKind`` for a kind of answer that only a newer version knows,
    ///   and ``WireError/Code/invalidContent`` for one that violates the model.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let limit = Answer.maximumCircleBytes
        let message = try MessageCoding.decode(Handoff_V1_Answer.self, from: bytes, limit: limit)
        if case .circle = message.kind {} else { try Self.checkSize(bytes.count, of: message) }
        switch message.kind {
        case .activity(let activity): answer = .activity(try Activity(activity))
        case .refusal(let refusal): answer = .refusal(Refusal(refusal))
        case .stream: answer = .stream
        case .circle(let circle): answer = .circle(try CircleMessage(circle))
        case .settled(let settled):
            guard settled.advertisingKey.count == CircleMessage.advertisingKeyBytes else {
                throw WireError(.invalidContent, "The advertising key in an answer must have 44 bytes.")
            }
            answer = .settled(advertisingKey: Array(settled.advertisingKey))
        case .noted: answer = .noted
        case nil: throw WireError(.unknownKind, "Unknown kind of answer: it needs a newer version of handoffd.")
        }
        circleDigest = message.circleDigest.count == Self.circleDigestBytes ? Array(message.circleDigest) : nil
    }

    private static func checkSize(_ count: Int, of message: Handoff_V1_Answer) throws(WireError) {
        let digestBytes = message.circleDigest.isEmpty ? 0 : message.circleDigest.count + 2
        guard count - digestBytes <= ActivityLimits.maximumPayloadBytes + 4 else {
            throw WireError(.tooLarge, "The answer exceeds the size of the largest activity.")
        }
    }
}
