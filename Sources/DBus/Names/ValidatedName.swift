/// A string that has been checked against one of the grammars of the D-Bus specification ("Valid Names").
///
/// libdbus terminates the process when it gets an invalid name, so every name is checked here before it is passed to
/// libdbus.
package protocol ValidatedName: Hashable, Sendable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The kind of name for messages, such as "object path".
    static var noun: String { get }

    /// Returns the reason why `text` is not a valid name; nil if it is one.
    static func fault(in text: String) -> String?

    /// Creates a name without checking `trusted`: only for text that has been checked already.
    init(trusted: String)
}

extension ValidatedName {
    /// Checks `string` and creates a name from it.
    ///
    /// - Throws: `DBusError.Code.invalidName`, with the violated rule.
    package init(_ string: String) throws(DBusError) {
        if let fault = Self.fault(in: string) {
            throw DBusError(.invalidName, "\(string.debugDescription) is not a D-Bus \(Self.noun): \(fault)")
        }
        self.init(trusted: string)
    }

    /// Creates a name from a literal; an invalid one is a programming error and terminates the program.
    package init(stringLiteral value: String) {
        if let fault = Self.fault(in: value) {
            preconditionFailure("\(value.debugDescription) is not a D-Bus \(Self.noun): \(fault)")
        }
        self.init(trusted: value)
    }

    /// Orders names by their text.
    package static func < (left: Self, right: Self) -> Bool {
        left.description < right.description
    }
}

/// The rules that several kinds of names share.
enum NameSyntax {
    /// The maximum length of a name in bytes (D-Bus specification, "Valid Names").
    static let maximumLength = 255

    /// Returns the reason why `text` is not a list of elements joined by dots; nil if it is one.
    static func fault(inDotted text: Substring, digitsFirst: Bool = false, hyphens: Bool = false) -> String? {
        if text.utf8.count > maximumLength { return "it is longer than \(maximumLength) bytes" }
        let elements = text.split(separator: ".", omittingEmptySubsequences: false)
        if elements.count < 2 { return "it needs at least one dot" }
        return elements.lazy.compactMap { fault(inElement: $0, digitsFirst: digitsFirst, hyphens: hyphens) }.first
    }

    /// Returns the reason why `element` is not a non-empty word of letters, digits and underscores; nil if it is one.
    static func fault(inElement element: Substring, digitsFirst: Bool, hyphens: Bool = false) -> String? {
        guard let first = element.utf8.first else { return "an element is empty" }
        if !digitsFirst, isDigit(first) { return "the element \(element) begins with a digit" }
        let fits = element.utf8.allSatisfy { isWord($0) || (hyphens && $0 == UInt8(ascii: "-")) }
        return fits ? nil : "\(String(element).debugDescription) has a character that is not allowed"
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
