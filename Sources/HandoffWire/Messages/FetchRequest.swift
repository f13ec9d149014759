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

    /// The number of the advertisement with which the origin began to show the activity.
    package let number: AdvertisementNumber
    /// What the activity is for.
    package let purpose: Purpose

    /// Requests the current activity if that number stands for it.
    package init(number: AdvertisementNumber, purpose: Purpose = .preview) {
        self.number = number
        self.purpose = purpose
    }
}

extension Handoff_V1_FetchRequest {
    /// Encodes a request.
    init(_ request: FetchRequest) {
        self.init()
        slot = request.number.slot
        number = UInt32(request.number.index)
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
    ///   ``WireError/Code/invalidContent`` for a take's id of another length, and for a number above 511.
    init(_ message: Handoff_V1_FetchRequest) throws(WireError) {
        guard let number = AdvertisementNumber(slot: message.slot, index: message.number) else {
            throw WireError(
                .invalidContent,
                "The number of an advertisement is at most \(AdvertisementNumber.maximumIndex), got \(message.number)."
            )
        }
        self.number = number
        switch message.purpose {
        case .preview(let preview): purpose = .preview(isFresh: preview.fresh)
        case .take(let take): purpose = .take(try TakeID(bytes: Array(take.id)))
        case nil:
            throw WireError(.unknownKind, "Unknown purpose of a fetch: it needs a newer version of handoffd.")
        }
    }
}
