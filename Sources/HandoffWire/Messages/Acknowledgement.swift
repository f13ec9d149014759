import FoundationEssentials

/// The confirmation of complete receipt: of an answer by the caller, of a take's report by the listener, and one of each
/// side after a circle.
package struct Acknowledgement: Hashable, Sendable {
    /// The most bytes that an acknowledgement of an activity may have, 1024 with its padding's length: today it has
    /// 48 at most, the rest is for newer versions.
    package static let maximumBytes = 1024 - MessagePadding.lengthBytes

    /// The most bytes that an acknowledgement of a circle may have: the largest circle with its field number and length.
    package static let maximumCircleBytes = CircleMessage.maximumBytes + 4

    /// What the sender knows of the circle; nil after an activity.
    package let circle: CircleMessage?

    /// The caller's advertising key, 44 bytes, when the answer was that the two devices are paired; otherwise nil.
    package let advertisingKey: [UInt8]?

    /// Makes an acknowledgement.
    package init(circle: CircleMessage? = nil, advertisingKey: [UInt8]? = nil) {
        self.circle = circle
        self.advertisingKey = advertisingKey
    }

    /// Returns the encoded acknowledgement.
    package func encode() -> [UInt8] {
        var message = Handoff_V1_Acknowledgement()
        if let circle { message.circle = Handoff_V1_CircleState(circle) }
        if let advertisingKey { message.settled.advertisingKey = Data(advertisingKey) }
        return MessageCoding.encode(message)
    }

    /// Decodes an acknowledgement.
    ///
    /// - Throws: ``WireError/Code/malformed`` or ``WireError/Code/tooLarge``, or ``WireError/Code/invalidContent`` for
    ///   a circle that breaks a rule.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let limit = Self.maximumCircleBytes
        let message = try MessageCoding.decode(Handoff_V1_Acknowledgement.self, from: bytes, limit: limit)
        circle = message.hasCircle ? try CircleMessage(message.circle) : nil
        guard message.hasSettled else {
            advertisingKey = nil
            return
        }
        guard message.settled.advertisingKey.count == CircleMessage.advertisingKeyBytes else {
            throw WireError(.invalidContent, "The advertising key in an acknowledgement must have 44 bytes.")
        }
        advertisingKey = Array(message.settled.advertisingKey)
    }
}
