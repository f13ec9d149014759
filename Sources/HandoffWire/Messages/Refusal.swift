/// Why a request is not granted.
package struct Refusal: Hashable, Sendable {
    /// The kind of refusal; numbers that this version does not know are kept.
    package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number on the wire (`Refusal.Code` in Handoff.proto).
        package let rawValue: Int

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// There is no current activity of that type any more.
        package static let noLongerCurrent = Code(rawValue: 1)
        /// The request is of a kind or form that the device does not understand.
        package static let notUnderstood = Code(rawValue: 2)
        /// The device serves another request; a later try may succeed.
        package static let busy = Code(rawValue: 3)
        /// The device could not do its part.
        package static let `internal` = Code(rawValue: 4)
        /// The activity is larger than a payload may be.
        package static let tooLarge = Code(rawValue: 5)
        /// The activity that a stream is asked for has ended.
        package static let noSuchActivity = Code(rawValue: 6)
        /// The activity exists, and its app takes no streams.
        package static let streamsNotSupported = Code(rawValue: 7)
        /// The activity's document can be opened on no other device.
        package static let documentNotShared = Code(rawValue: 10)
        /// The two devices are not paired, or it is not settled yet that they are.
        package static let notPaired = Code(rawValue: 8)

        package var description: String {
            switch self {
            case .noLongerCurrent: "noLongerCurrent"
            case .notUnderstood: "notUnderstood"
            case .busy: "busy"
            case .internal: "internal"
            case .tooLarge: "tooLarge"
            case .noSuchActivity: "noSuchActivity"
            case .streamsNotSupported: "streamsNotSupported"
            case .documentNotShared: "documentNotShared"
            case .notPaired: "notPaired"
            default: "unknown(\(rawValue))"
            }
        }
    }

    /// The longest message in UTF-8 bytes; longer ones are cut.
    package static let maximumMessageBytes = 1024

    /// The kind of refusal.
    package let code: Code

    /// One sentence for a person, at most ``maximumMessageBytes``.
    package let message: String

    /// Refuses with a reason; a message that is too long is cut between two Unicode scalars, and U+0000 is left out.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = Self.cut(message)
    }

    private static func cut(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars where scalar != "\0" {
            count += UTF8.width(scalar)
            guard count <= maximumMessageBytes else { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}

extension Handoff_V1_Refusal {
    /// The refusal as it travels.
    init(_ refusal: Refusal) {
        self.init()
        code = Handoff_V1_Refusal.Code(rawValue: refusal.code.rawValue) ?? .unspecified
        message = refusal.message
    }
}

extension Refusal {
    /// The refusal that travelled.
    init(_ message: Handoff_V1_Refusal) {
        self.init(Code(rawValue: message.code.rawValue), message.message)
    }
}
