package import HandoffModel

/// What a device says to a request.
package enum Answer: Hashable, Sendable {
    /// Here it is, whole.
    case activity(Activity)
    /// It is not to be had, and why.
    case refusal(Refusal)
    /// This is what it knows of the circle.
    case circle(CircleMessage)
    /// The channel is a continuation stream once the caller has acknowledged this.
    case stream
    /// The two devices are paired; with the advertising key of the one that says so.
    case settled(advertisingKey: [UInt8])

    /// The most bytes that an answer may have: the largest activity with its field number and length, and a digest.
    package static let maximumBytes = ActivityLimits.maximumPayloadBytes + 4 + 2 + AnswerEnvelope.circleDigestBytes

    /// The bytes of this answer.
    ///
    /// An activity above ``ActivityLimits/maximumPayloadBytes`` is written too, but no peer reads it; see
    /// ``HandoffModel/Activity/checkEncodedSize()``.
    package func encode() -> [UInt8] { AnswerEnvelope(self).encode() }

    /// Reads an answer; refusals with unknown codes are read too.
    ///
    /// - Throws: ``WireError``; ``WireError/Code/unknownKind`` for an answer that only a newer version knows, and
    ///   ``WireError/Code/invalidContent`` for one that breaks a rule of the model.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        self = try AnswerEnvelope(decoding: bytes).answer
    }
}
