/// The reason why a request is not granted.
package struct Refusal: Hashable, Sendable {
    /// The kind of refusal; numbers that this version does not know are preserved.
    package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number on the wire (`Refusal.Code` in Handoff.proto).
        package let rawValue: Int

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The requested activity is no longer the current one.
        package static let noLongerCurrent = Code(rawValue: 1)
        /// The device does not understand the kind or form of the request.
        package static let notUnderstood = Code(rawValue: 2)
        /// The device is serving another request; a later attempt may succeed.
        package static let busy = Code(rawValue: 3)
        /// The device could not serve the request.
        package static let `internal` = Code(rawValue: 4)
        /// The activity exceeds the maximum payload size.
        package static let tooLarge = Code(rawValue: 5)
        /// The activity for which a stream is requested has ended.
        package static let noSuchActivity = Code(rawValue: 6)
        /// The activity exists, but its app does not accept streams.
        package static let streamsNotSupported = Code(rawValue: 7)
        /// The activity's document cannot be opened on other devices: it is in no synchronised folder.
        package static let documentNotShared = Code(rawValue: 10)
        /// A rule of the person there gives the caller nothing.
        package static let denied = Code(rawValue: 11)
        /// The two devices are not paired, or their pairing is not reconciled yet.
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
            case .denied: "denied"
            default: "unknown(\(rawValue))"
            }
        }
    }

    /// The longest message in UTF-8 bytes; longer ones are truncated.
    package static let maximumMessageBytes = 1024

    /// The most characters of a message that are read from another device; the rest is truncated: the text is shown in
    /// one line and in a desktop notification, and a sentence is shorter.
    package static let maximumMessageCharacters = 200

    /// The kind of refusal.
    package let code: Code

    /// One sentence for the user, at most ``maximumMessageBytes``.
    package let message: String

    /// What the device shows in place of the requested activity; nil for nothing, and beside any other code than
    /// ``Code/noLongerCurrent``.
    package let current: CurrentActivity?

    /// Makes a refusal.
    ///
    /// A message that is too long is truncated between two Unicode scalars, and U+0000 is removed.
    package init(_ code: Code, _ message: String, current: CurrentActivity? = nil) {
        self.code = code
        self.message = Self.cut(message)
        self.current = code == .noLongerCurrent ? current : nil
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
    /// Encodes a refusal.
    init(_ refusal: Refusal) {
        self.init()
        code = Handoff_V1_Refusal.Code(rawValue: refusal.code.rawValue) ?? .unspecified
        message = refusal.message
        if let current = refusal.current { self.current = Handoff_V1_CurrentActivity(current) }
    }
}

extension Refusal {
    /// Decodes a refusal.
    init(_ message: Handoff_V1_Refusal) {
        let current = message.hasCurrent ? CurrentActivity(message.current) : nil
        self.init(Code(rawValue: message.code.rawValue), Self.clean(message.message), current: current)
    }

    /// Returns the text of another device without characters that are not to be seen in a sentence (control, format and
    /// bidirectional ones), on one line, and cut to ``maximumMessageCharacters``.
    private static func clean(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: kept.append(" ")
            case .format, .privateUse, .unassigned: break
            default: kept.append(scalar)
            }
        }
        let words = String(kept).split(separator: " ").joined(separator: " ")
        return String(words.prefix(maximumMessageCharacters))
    }
}
