package import HandoffModel

/// The answer of a device to a request.
package enum Answer: Hashable, Sendable {
    /// The complete activity.
    case activity(Activity)
    /// The request is not granted, with the reason.
    case refusal(Refusal)
    /// What the device knows of the circle.
    case circle(CircleMessage)
    /// The channel is a continuation stream once the caller has acknowledged this.
    case stream
    /// The two devices are paired; with the advertising key of the answering device.
    case settled(advertisingKey: [UInt8])
    /// The report of a take is noted.
    case noted

    /// The maximum size of an answer with a circle in bytes: the largest one with its field number and length.
    package static let maximumCircleBytes = CircleMessage.maximumBytes + 5
    /// The maximum size of any other answer in bytes: the largest activity with its field number and length, and a
    /// digest.
    package static let maximumBytes = ActivityLimits.maximumPayloadBytes + 4 + 2 + AnswerEnvelope.circleDigestBytes

    /// Returns the encoded answer.
    ///
    /// An activity above ``ActivityLimits/maximumPayloadBytes`` is encoded too, but no peer accepts it; see
    /// ``HandoffModel/Activity/checkEncodedSize()``.
    package func encode() -> [UInt8] { AnswerEnvelope(self).encode() }

    /// Decodes an answer; refusals with unknown codes are accepted.
    ///
    /// - Throws: ``WireError``; ``WireError/Code/unknownKind`` for a kind of answer that only a newer version knows,
    ///   and ``WireError/Code/invalidContent`` for one that violates the model.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        self = try AnswerEnvelope(decoding: bytes).answer
    }
}
