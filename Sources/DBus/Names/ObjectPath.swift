/// The path of an object, `/` or `/element/element`.
package struct ObjectPath: ValidatedName {
    package static let noun = "object path"

    /// The root of the tree, `/`.
    package static let root = ObjectPath(trusted: "/")

    package let description: String

    package init(trusted: String) {
        description = trusted
    }

    package static func fault(in text: String) -> String? {
        guard text.utf8.first == UInt8(ascii: "/") else { return "it does not begin with a slash" }
        if text == "/" { return nil }
        // The specification gives no number for this limit: a path only has to fit into the header array of a message.
        if text.utf8.count > 1 << 20 { return "it is longer than 1 MiB" }
        let elements = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        return elements.lazy.compactMap { NameSyntax.fault(inElement: $0, digitsFirst: true) }.first
    }

    /// Returns the path of the child `element` of this object.
    ///
    /// `element` must consist of letters, digits and underscores and must not be empty; anything else is a programming
    /// error.
    package func appending(_ element: String) -> ObjectPath {
        let fault = NameSyntax.fault(inElement: element[...], digitsFirst: true)
        precondition(fault == nil, "\(element.debugDescription) is not an element of an object path: \(fault ?? "")")
        return ObjectPath(trusted: self == .root ? "/\(element)" : "\(description)/\(element)")
    }

    /// The last element; empty for the root.
    package var lastElement: String {
        description.split(separator: "/").last.map(String.init) ?? ""
    }

    /// Whether this object is below `other`; no object is below itself.
    package func isDescendant(of other: ObjectPath) -> Bool {
        if other == .root { return self != .root }
        let own = description.utf8
        let above = other.description.utf8
        return own.count > above.count && own.starts(with: above)
            && own[own.index(own.startIndex, offsetBy: above.count)] == UInt8(ascii: "/")
    }

    /// The path of the parent; nil for the root.
    package var parent: ObjectPath? {
        if self == .root { return nil }
        let above = description.dropLast(lastElement.utf8.count + 1)
        return above.isEmpty ? .root : ObjectPath(trusted: String(above))
    }
}
