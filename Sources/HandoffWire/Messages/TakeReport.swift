import FoundationEssentials

/// The number by which a caller names one of its takes; new for each of them.
package struct TakeID: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes: two takes of one device never have the same number by chance.
    package static let byteCount = 8

    package let bytes: [UInt8]

    /// Hexadecimal, for logs.
    package var description: String { bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

    /// Makes an id of exactly eight bytes.
    ///
    /// - Throws: ``WireError/Code/invalidContent`` for any other count.
    package init(bytes: [UInt8]) throws(WireError) {
        guard bytes.count == Self.byteCount else {
            throw WireError(.invalidContent, "The id of a take has \(Self.byteCount) bytes, got \(bytes.count).")
        }
        self.bytes = bytes
    }

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns a new id.
    package static func random() -> TakeID {
        TakeID(unchecked: (0..<byteCount).map { _ in .random(in: .min ... .max) })
    }
}

/// How a take ended on the device of the caller.
package enum TakeOutcome: Hashable, Sendable, CustomStringConvertible {
    /// An app, a browser or a document viewer goes on with the activity.
    case continued(Kind)
    /// Nobody goes on with it.
    case failed(Reason)

    /// What goes on with an activity; numbers that this version does not know are read as ``app``.
    package enum Kind: Int, Hashable, CaseIterable, Sendable {
        /// An app that supports the activity's type.
        case app = 1
        /// A browser, with the activity's web page.
        case browser = 2
        /// An app that opens the activity's document.
        case document = 3
    }

    /// Why nobody goes on with an activity; numbers that this version does not know are read as ``failed``.
    package enum Reason: Int, Hashable, CaseIterable, Sendable {
        /// Any other reason.
        case failed = 0
        /// No app continues the activity, or all have declined it.
        case notContinuable = 1
        /// The app could not be started, crashed, or did not answer.
        case appFailed = 2
        /// The user, or the program that asked, stopped it.
        case cancelled = 3
        /// The activity's document is not there.
        case documentMissing = 4
        /// The browser could not open its web page.
        case browserFailed = 5
        /// The app for its document could not open it.
        case viewerFailed = 6
    }

    /// The outcome as a clause, for logs.
    package var description: String {
        switch self {
        case .continued(.app): "an app goes on with it"
        case .continued(.browser): "a browser has opened its web page"
        case .continued(.document): "an app has opened its document"
        case .failed(.failed): "it was not continued"
        case .failed(.notContinuable): "no app continues it"
        case .failed(.appFailed): "the app could not continue it"
        case .failed(.cancelled): "the user has stopped it"
        case .failed(.documentMissing): "its document is not there"
        case .failed(.browserFailed): "the browser could not open its web page"
        case .failed(.viewerFailed): "the app for its document could not open it"
        }
    }
}

/// The report of a caller on one of its takes.
package struct TakeReport: Hashable, Sendable {
    /// The maximum size of an encoded report in bytes, 1024 with its padding's length; today it has 16, the rest is for
    /// newer versions.
    package static let maximumBytes = 1024 - MessagePadding.lengthBytes

    package let take: TakeID
    package let outcome: TakeOutcome

    package init(_ take: TakeID, _ outcome: TakeOutcome) {
        self.take = take
        self.outcome = outcome
    }

    /// Returns the encoded report.
    package func encode() -> [UInt8] { MessageCoding.encode(Handoff_V1_TakeReport(self)) }

    /// Decodes a report.
    ///
    /// - Throws: ``WireError``; ``WireError/Code/unknownKind`` for an outcome that only a newer version knows.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let limit = Self.maximumBytes
        self = try TakeReport(try MessageCoding.decode(Handoff_V1_TakeReport.self, from: bytes, limit: limit))
    }
}

extension Handoff_V1_TakeReport {
    /// Encodes a report.
    init(_ report: TakeReport) {
        self.init()
        take = Data(report.take.bytes)
        switch report.outcome {
        case .continued(let kind): continued.kind = Handoff_V1_TakeContinued.Kind(rawValue: kind.rawValue) ?? .app
        case .failed(let reason):
            failed = Handoff_V1_TakeFailed()
            failed.reason = Handoff_V1_TakeFailed.Reason(rawValue: reason.rawValue) ?? .failed
        }
    }
}

extension TakeReport {
    /// Decodes a report.
    ///
    /// - Throws: ``WireError/Code/unknownKind`` for an outcome that only a newer version knows,
    ///   ``WireError/Code/invalidContent`` for an id of another length.
    init(_ message: Handoff_V1_TakeReport) throws(WireError) {
        take = try TakeID(bytes: Array(message.take))
        switch message.outcome {
        case .continued(let continued):
            outcome = .continued(TakeOutcome.Kind(rawValue: continued.kind.rawValue) ?? .app)
        case .failed(let failed):
            outcome = .failed(TakeOutcome.Reason(rawValue: failed.reason.rawValue) ?? .failed)
        case nil:
            throw WireError(.unknownKind, "Unknown outcome of a take: it needs a newer version of handoffd.")
        }
    }
}
