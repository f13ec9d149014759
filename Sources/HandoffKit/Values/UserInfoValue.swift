public import FoundationEssentials
package import HandoffModel

/// One value of an activity's userInfo.
///
/// All nine types of Apple's Handoff are supported and stay distinct: the integer 1, the real 1.0 and true arrive as
/// they were sent.
///
/// Literals create values: `activity.userInfo = ["line": 12, "title": "Draft", "tags": ["a", "b"]]`. Read a value with
/// the accessor of the expected type: `activity.userInfo["line"]?.integer`.
public struct UserInfoValue: Hashable, Sendable {
    package let model: HandoffModel.UserInfoValue

    package init(model: HandoffModel.UserInfoValue) {
        self.model = model
    }

    /// The null value.
    public static let null = UserInfoValue(model: .null)

    public static func boolean(_ boolean: Bool) -> UserInfoValue { UserInfoValue(model: .boolean(boolean)) }

    public static func integer(_ integer: Int) -> UserInfoValue { UserInfoValue(model: .integer(Int64(integer))) }

    /// An integer that may be larger than `Int.max`; one that fits is the same value as ``integer(_:)``.
    public static func unsigned(_ number: UInt64) -> UserInfoValue { UserInfoValue(model: .number(number)) }

    public static func real(_ real: Double) -> UserInfoValue { UserInfoValue(model: .real(real)) }

    public static func string(_ string: String) -> UserInfoValue { UserInfoValue(model: .string(string)) }

    /// Bytes, which are sent unchanged.
    public static func data(_ bytes: [UInt8]) -> UserInfoValue { UserInfoValue(model: .data(bytes)) }

    /// A point in time, with the precision of `Date`: about 100 ns.
    ///
    /// A date outside the years -9999 to 9999 is replaced by the nearest one within them.
    public static func date(_ date: Date) -> UserInfoValue { UserInfoValue(model: .date(Timestamp(nearest: date))) }

    /// A URL of any scheme, as text.
    public static func url(_ url: String) -> UserInfoValue { UserInfoValue(model: .url(url)) }

    public static func array(_ items: [UserInfoValue]) -> UserInfoValue {
        UserInfoValue(model: .array(items.map(\.model)))
    }

    public static func dictionary(_ entries: [String: UserInfoValue]) -> UserInfoValue {
        UserInfoValue(model: .dictionary(entries.mapValues(\.model)))
    }

    /// An unordered set of values.
    public static func set(_ items: Set<UserInfoValue>) -> UserInfoValue {
        UserInfoValue(model: .set(Set(items.map(\.model))))
    }
}

/// The value as one of its types; nil for values of other types.
extension UserInfoValue {
    public var isNull: Bool { model == .null }

    public var boolean: Bool? { if case .boolean(let value) = model { value } else { nil } }

    public var integer: Int? { if case .integer(let value) = model { Int(exactly: value) } else { nil } }

    /// A nonnegative integer of up to 64 bits.
    public var unsigned: UInt64? {
        switch model {
        case .integer(let value): UInt64(exactly: value)
        case .unsigned(let value): value
        default: nil
        }
    }

    public var real: Double? { if case .real(let value) = model { value } else { nil } }

    public var string: String? { if case .string(let value) = model { value } else { nil } }

    public var data: [UInt8]? { if case .data(let value) = model { value } else { nil } }

    public var date: Date? { if case .date(let value) = model { Date(value) } else { nil } }

    public var url: String? { if case .url(let value) = model { value } else { nil } }

    public var array: [UserInfoValue]? {
        if case .array(let items) = model { items.map(UserInfoValue.init(model:)) } else { nil }
    }

    public var dictionary: [String: UserInfoValue]? {
        if case .dictionary(let entries) = model { entries.mapValues(UserInfoValue.init(model:)) } else { nil }
    }

    public var set: Set<UserInfoValue>? {
        if case .set(let items) = model { Set(items.map(UserInfoValue.init(model:))) } else { nil }
    }
}

extension UserInfoValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }

    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    public init(integerLiteral value: Int) { self = .integer(value) }

    public init(floatLiteral value: Double) { self = .real(value) }

    public init(stringLiteral value: String) { self = .string(value) }

    public init(arrayLiteral elements: UserInfoValue...) { self = .array(elements) }

    public init(dictionaryLiteral elements: (String, UserInfoValue)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }
}

extension UserInfoValue: CustomStringConvertible {
    public var description: String { "\(model)" }
}

extension Timestamp {
    /// The timestamp nearest to a date; the earliest one for a date that is not a number (NaN).
    init(nearest date: Date) {
        let interval = date.timeIntervalSince1970
        let whole = interval.rounded(.down)
        let limits = Double(Self.earliestSeconds)...Double(Self.latestSeconds)
        let seconds = whole.isNaN ? limits.lowerBound : min(max(whole, limits.lowerBound), limits.upperBound)
        let fraction = seconds == whole ? (interval - whole) * 1_000_000_000 : 0
        let nanoseconds = UInt32(min(fraction, 999_999_999))
        guard let moment = try? Timestamp(seconds: Int64(seconds), nanoseconds: nanoseconds) else {
            preconditionFailure("\(seconds) s and \(nanoseconds) ns are within bounds")
        }
        self = moment
    }
}

extension Date {
    /// The date nearest to a timestamp.
    init(_ moment: Timestamp) {
        self.init(timeIntervalSince1970: Double(moment.seconds) + Double(moment.nanoseconds) / 1_000_000_000)
    }
}
