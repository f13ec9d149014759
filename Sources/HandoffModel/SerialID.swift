/// The id of a `Subject` within one run of a program: never reused, and no id of anything else.
package struct SerialID<Subject>: RawRepresentable, Hashable, Comparable, Sendable {
    /// Ids count upwards, so a later subject has a greater one.
    package let rawValue: UInt64

    /// The id of the next subject.
    package var next: SerialID { SerialID(rawValue: rawValue + 1) }

    /// Makes the id with that number; the first of a kind is 1.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (left: SerialID, right: SerialID) -> Bool { left.rawValue < right.rawValue }
}

extension SerialID: ExpressibleByIntegerLiteral {
    /// Makes the id with that number.
    package init(integerLiteral value: UInt64) {
        self.init(rawValue: value)
    }
}

extension SerialID: CustomStringConvertible {
    /// The number, as in object paths and logs.
    package var description: String { "\(rawValue)" }
}
