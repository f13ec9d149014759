import FoundationEssentials
package import HandoffModel

/// A request for the advertised activity.
package struct FetchRequest: Hashable, Sendable {
    /// What the activity is for.
    package enum Purpose: Hashable, Sendable {
        /// Somebody looks at the activity: its app is told nothing. If `isFresh`, the app saves first.
        case preview(isFresh: Bool)
        /// Somebody goes on with the activity: the app saves first, and the device reports the outcome.
        case take(TakeID)

        /// A look at the state that the app saved last.
        package static let preview = preview(isFresh: false)

        /// Whether the app is asked to save first.
        package var asksToSave: Bool { if case .preview(let isFresh) = self { isFresh } else { true } }

        /// The take; nil for a preview.
        package var take: TakeID? { if case .take(let id) = self { id } else { nil } }
    }

    /// The type hash from the advertisement.
    package let typeHash: ActivityTypeHash
    /// The activity tag from the advertisement.
    package let tag: ActivityTag
    /// What the activity is for.
    package let purpose: Purpose

    /// Requests the current activity if its type has this hash and it has this tag.
    package init(typeHash: ActivityTypeHash, tag: ActivityTag, purpose: Purpose = .preview) {
        self.typeHash = typeHash
        self.tag = tag
        self.purpose = purpose
    }
}

extension Handoff_V1_FetchRequest {
    /// Encodes a request.
    init(_ request: FetchRequest) {
        self.init()
        typeHash = Data(request.typeHash.bytes)
        activityTag = Data([request.tag.rawValue])
        switch request.purpose {
        case .preview(let isFresh):
            preview = Handoff_V1_Preview()
            preview.fresh = isFresh
        case .take(let id): take.id = Data(id.bytes)
        }
    }
}

extension FetchRequest {
    /// Decodes a request.
    ///
    /// - Throws: ``WireError/Code/unknownKind`` for a purpose that only a newer version knows,
    ///   ``WireError/Code/invalidContent`` for a type hash or a take's id of another length, and for a tag above
    ///   127.
    init(_ message: Handoff_V1_FetchRequest) throws(WireError) {
        guard message.activityTag.count == 1, let tag = message.activityTag.first.flatMap(ActivityTag.init(exactly:))
        else {
            let bytes = message.activityTag.count
            throw WireError(
                .invalidContent,
                "An activity tag is 1 byte of at most 127, got another value or \(bytes) bytes."
            )
        }
        self.tag = tag
        do {
            typeHash = try ActivityTypeHash(bytes: message.typeHash)
        } catch {
            throw WireError(error)
        }
        switch message.purpose {
        case .preview(let preview): purpose = .preview(isFresh: preview.fresh)
        case .take(let take): purpose = .take(try TakeID(bytes: Array(take.id)))
        case nil:
            throw WireError(.unknownKind, "Unknown purpose of a fetch: it needs a newer version of handoffd.")
        }
    }
}
