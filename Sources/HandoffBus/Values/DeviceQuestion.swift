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

    /// Returns questions as a value of the type `aa{sv}`.
    package static func list(_ questions: [DeviceQuestion]) -> Value {
        .dictionaries(questions.map(\.properties))
    }

    /// Reads a value of the type `aa{sv}`; questions with an unknown reason are left out.
    package static func list(from value: Value?) -> [DeviceQuestion] {
        (value?.dictionaries ?? []).compactMap(DeviceQuestion.init)
    }

    private init?(_ properties: [String: Value]) {
        guard let id = properties["ID"]?.string, let name = properties["Name"]?.string,
            let reason = properties["Reason"]?.string.flatMap(Reason.init)
        else { return nil }
        let others = properties["Others"]?.array ?? []
        self.init(id: id, name: name, reason: reason, others: others.compactMap(\.string))
    }

    private var properties: [String: Value] {
        ["ID": .string(id), "Name": .string(name), "Reason": .string(reason.rawValue), "Others": others.value]
    }
}
