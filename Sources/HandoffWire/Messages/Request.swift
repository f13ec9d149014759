import FoundationEssentials
package import HandoffModel

/// A request of one device to another.
package enum Request: Hashable, Sendable {
    /// The user wants to continue the advertised activity.
    case fetch(FetchRequest)
    /// The device asks for the other device's copy of their circle.
    case circle
    /// The app that continues an activity wants a stream to the app that began it.
    case stream(StreamRequest)
    /// The device does not know how a pairing ended (reconciliation).
    case settle(SettleRequest)

    /// The maximum size of a request in bytes; it bounds what an unauthenticated peer can send.
    package static let maximumBytes = 1024

    /// Returns the encoded request.
    package func encode() -> [UInt8] {
        var message = Handoff_V1_Request()
        switch self {
        case .fetch(let request):
            message.fetch.typeHash = Data(request.typeHash.bytes)
            message.fetch.activityTag = Data([request.tag.rawValue])
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

    /// Decodes a request.
    ///
    /// - Throws: ``WireError``; ``WireError/Code/unknownKind`` for a kind of request that only a newer version knows.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let message = try MessageCoding.decode(Handoff_V1_Request.self, from: bytes, limit: Self.maximumBytes)
        switch message.kind {
        case .fetch(let fetch):
            self = .fetch(try FetchRequest(fetch))
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
            throw WireError(.unknownKind, "Unknown kind of request: it needs a newer version of handoffd.")
        }
    }
}

/// A request for the advertised activity.
package struct FetchRequest: Hashable, Sendable {
    /// The type hash from the advertisement.
    package let typeHash: ActivityTypeHash
    /// The activity tag from the advertisement.
    package let tag: ActivityTag

    /// Requests the current activity if its type has this hash and it has this tag.
    package init(typeHash: ActivityTypeHash, tag: ActivityTag) {
        self.typeHash = typeHash
        self.tag = tag
    }

    fileprivate init(_ message: Handoff_V1_FetchRequest) throws(WireError) {
        guard message.activityTag.count == 1, let tag = message.activityTag.first else {
            throw WireError(.malformed, "An activity tag has 1 byte, got \(message.activityTag.count).")
        }
        do {
            self.init(typeHash: try ActivityTypeHash(bytes: message.typeHash), tag: ActivityTag(tag))
        } catch {
            throw WireError(error)
        }
    }
}

/// A request for a continuation stream to the app of an activity that was fetched.
package struct StreamRequest: Hashable, Sendable {
    /// The stream token that the origin sent with the activity.
    package let activity: UInt64

    /// Requests a stream to the app of that activity.
    package init(activity: UInt64) {
        self.activity = activity
    }
}

/// Reports how a pairing ended on the caller's side, and asks how it ended on the other.
package struct SettleRequest: Hashable, Sendable {
    /// The identifier of the pairing.
    package let pairing: [UInt8]
    /// The caller's advertising key if its user confirmed that the digits agree; otherwise nil.
    package let advertisingKey: [UInt8]?

    /// Asks how the pairing with that identifier ended.
    package init(pairing: [UInt8], advertisingKey: [UInt8]?) {
        self.pairing = pairing
        self.advertisingKey = advertisingKey
    }
}
