import FoundationEssentials
package import HandoffModel

/// What a device says to a request.
package enum Answer: Hashable, Sendable {
    /// Here it is, whole.
    case activity(Activity)
    /// It is not to be had, and why.
    case refusal(Refusal)
    /// The channel is a continuation stream once the caller has acknowledged this.
    case stream
    /// The two devices are paired; with the advertising key of the one that says so.
    case settled(advertisingKey: [UInt8])

    /// The most bytes that an answer may have: the largest activity, its field number and its length.
    package static let maximumBytes = ActivityLimits.maximumPayloadBytes + 4

    /// The bytes of this answer.
    ///
    /// An activity above ``ActivityLimits/maximumPayloadBytes`` is written too, but no peer reads it; see
    /// ``HandoffModel/Activity/checkEncodedSize()``.
    package func encode() -> [UInt8] {
        var message = Handoff_V1_Answer()
        switch self {
        case .activity(let activity): message.activity = Handoff_V1_Activity(activity)
        case .refusal(let refusal): message.refusal = Handoff_V1_Refusal(refusal)
        case .stream: message.stream = Handoff_V1_StreamOpened()
        case .settled(let advertisingKey): message.settled.advertisingKey = Data(advertisingKey)
        }
        return MessageCoding.encode(message)
    }

    /// Reads an answer; refusals with unknown codes are read too.
    ///
    /// - Throws: ``WireError``; ``WireError/Code/unknownKind`` for an answer that only a newer version knows, and
    ///   ``WireError/Code/invalidContent`` for an activity that breaks a rule of the model.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let message = try MessageCoding.decode(Handoff_V1_Answer.self, from: bytes, limit: Self.maximumBytes)
        switch message.kind {
        case .activity(let activity): self = .activity(try Activity(activity))
        case .refusal(let refusal): self = .refusal(Refusal(refusal))
        case .stream: self = .stream
        case .settled(let settled): self = .settled(advertisingKey: Array(settled.advertisingKey))
        case nil: throw WireError(.unknownKind, "The answer is of a kind that this version does not know.")
        }
    }
}
