import HandoffModel
import HandoffTestVectors

/// Activities in the notation of the published vectors: JSON in which every value names its kind, numbers are text so
/// that no reader rounds them, and reals are their 64 bits in hexadecimal.
indirect enum DescribedValue: Codable, Equatable, Sendable {
    case text(String)
    case truth(Bool)
    case list([DescribedValue])
    case members([String: DescribedValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .truth(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([DescribedValue].self) {
            self = .list(value)
        } else {
            self = .members(try container.decode([String: DescribedValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .truth(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .members(let values): try container.encode(values)
        }
    }
}

extension DescribedValue {
    /// Describes an activity; what is absent is left out.
    init(_ activity: Activity) {
        var members: [String: DescribedValue] = [
            "type": .text(activity.type.rawValue),
            "userInfo": .members(activity.userInfo.mapValues(DescribedValue.init)),
            "supportsContinuationStreams": .truth(activity.supportsContinuationStreams),
            "requiredUserInfoKeys": .list(activity.requiredUserInfoKeys.sorted().map(DescribedValue.text)),
        ]
        members["title"] = activity.title.map(DescribedValue.text)
        members["webpageURL"] = activity.webpageURL.map { .text($0.rawValue) }
        members["teamID"] = activity.teamID.map(DescribedValue.text)
        members["expiration"] = activity.expiration.map { .text($0.description) }
        members["targetContentIdentifier"] = activity.targetContentIdentifier.map(DescribedValue.text)
        members["persistentIdentifier"] = activity.persistentIdentifier.map(DescribedValue.text)
        members["streamName"] = activity.properties.streamToken.map { .text(String($0)) }
        self = .members(members)
    }

    /// Describes a value as an object with one member that is named like its kind.
    init(_ value: UserInfoValue) {
        self = .members([value.kind.rawValue: Self.content(of: value)])
    }

    private static func content(of value: UserInfoValue) -> DescribedValue {
        switch value {
        case .null: .truth(true)
        case .boolean(let value): .truth(value)
        case .integer(let value): .text(String(value))
        case .unsigned(let value): .text(String(value))
        case .real(let value): .text(hex(withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) }))
        case .string(let value), .url(let value): .text(value)
        case .data(let value): .text(hex(value))
        case .date(let value): .text(value.description)
        case .array(let values): .list(values.map(DescribedValue.init))
        case .dictionary(let values): .members(values.mapValues(DescribedValue.init))
        // A set has no order; the vectors sort its elements by their description.
        case .set(let values): .list(values.map(DescribedValue.init).sorted { "\($0)" < "\($1)" })
        }
    }
}
