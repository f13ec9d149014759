import FoundationEssentials
package import HandoffModel

/// What one device asks of another.
package enum Request: Hashable, Sendable {
    /// The person wants to continue what is advertised.
    case fetch(FetchRequest)
    /// The device wants to know what the other knows of their circle.
    case circle
    /// The app that continues an activity wants to talk with the one that began it.
    case stream(StreamRequest)
    /// The device does not know how a pairing has ended.
    case settle(SettleRequest)

    /// The most bytes that a request may have; a stranger is never given more.
    package static let maximumBytes = 1024

    /// The bytes of this request.
    package func encode() -> [UInt8] {
        var message = Handoff_V1_Request()
        switch self {
        case .fetch(let request):
            message.fetch.typeHash = Data(request.typeHash.bytes)
        case .circle:
            message.circle = Handoff_V1_CircleRequest()
        case .stream(let request):
            message.stream.activity = request.activity
        case .settle(let request):
            message.settle.pairing = Data(request.pairing)
            message.settle.confirmed = request.advertisingKey != nil
            message.settle.advertisingKey = Data(request.advertisingKey ?? [])
        }
        return MessageCoding.encode(message)
    }

    /// Reads a request.
    ///
    /// - Throws: ``WireError``; ``WireError/Code/unknownKind`` for a request that only a newer version knows.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let message = try MessageCoding.decode(Handoff_V1_Request.self, from: bytes, limit: Self.maximumBytes)
        switch message.kind {
        case .fetch(let fetch):
            do {
                self = .fetch(FetchRequest(typeHash: try ActivityTypeHash(bytes: fetch.typeHash)))
            } catch {
                throw WireError(error)
            }
        case .circle:
            self = .circle
        case .stream(let stream):
            self = .stream(StreamRequest(activity: stream.activity))
        case .settle(let settle):
            self = .settle(
                SettleRequest(
                    pairing: Array(settle.pairing),
                    advertisingKey: settle.confirmed ? Array(settle.advertisingKey) : nil
                )
            )
        case nil:
            throw WireError(.unknownKind, "The request is of a kind that this version does not know.")
        }
    }
}

/// Asks for the activity that is being advertised.
package struct FetchRequest: Hashable, Sendable {
    /// The hash that stood in the advertisement.
    package let typeHash: ActivityTypeHash

    /// Asks for the current activity if its type has this hash.
    package init(typeHash: ActivityTypeHash) {
        self.typeHash = typeHash
    }
}

/// Asks for a continuation stream to the app of an activity that was fetched.
package struct StreamRequest: Hashable, Sendable {
    /// What the origin called the activity when it gave it away.
    package let activity: UInt64

    /// Asks for a stream to the app of that activity.
    package init(activity: UInt64) {
        self.activity = activity
    }
}

/// Says how a pairing has ended on the caller's side, and asks how on the other.
package struct SettleRequest: Hashable, Sendable {
    /// Which pairing.
    package let pairing: [UInt8]
    /// The caller's advertising key when its person said that the digits are the same, else nil.
    package let advertisingKey: [UInt8]?

    /// Asks how the pairing of that id has ended.
    package init(pairing: [UInt8], advertisingKey: [UInt8]?) {
        self.pairing = pairing
        self.advertisingKey = advertisingKey
    }
}
