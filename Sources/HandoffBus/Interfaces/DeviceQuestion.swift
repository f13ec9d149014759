package import DBus

/// A known device about which a person has to decide whether it is trusted (Docs/Circle.md, "Questions").
package struct DeviceQuestion: Hashable, Sendable {
    /// Why a person has to decide.
    package enum Reason: String, Hashable, Sendable {
        /// Devices that are not trusted themselves have removed it.
        case disputed
        /// The devices that brought it are not trusted any more.
        case orphaned
    }

    /// 16 hexadecimal digits.
    package let id: String
    package let name: String
    package let reason: Reason
    /// The names of the devices that have removed or brought it.
    package let others: [String]

    package init(id: String, name: String, reason: Reason, others: [String]) {
        self.id = id
        self.name = name
        self.reason = reason
        self.others = others
    }

    /// The type of a list of questions: `a(sssas)`.
    package static let listType = ValueType.array(elementType)

    /// Returns questions as a value of ``listType``.
    package static func list(_ questions: [DeviceQuestion]) -> Value {
        .array(of: elementType, questions.map(\.value))
    }

    /// Reads a value of ``listType``; questions with an unknown reason are left out.
    package static func list(from value: Value?) -> [DeviceQuestion] {
        (value?.array ?? []).compactMap(DeviceQuestion.init)
    }

    private static let elementType = ValueType.structure([.string, .string, .string, .array(.string)])

    private init?(_ value: Value) {
        guard case .structure(let fields) = value, fields.count == 4, let id = fields[0].string,
            let name = fields[1].string, let reason = fields[2].string.flatMap(Reason.init)
        else { return nil }
        self.init(id: id, name: name, reason: reason, others: (fields[3].array ?? []).compactMap(\.string))
    }

    private var value: Value {
        .structure([
            .string(id), .string(name), .string(reason.rawValue), .array(of: .string, others.map(Value.string)),
        ])
    }
}
