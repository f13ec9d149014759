/// The name of a method, a signal or a property, such as `GetManagedObjects`.
package struct MemberName: ValidatedName {
    package static let noun = "member name"

    package let description: String

    package init(trusted: String) {
        description = trusted
    }

    package static func fault(in text: String) -> String? {
        if text.utf8.count > NameSyntax.maximumLength { return "it is longer than \(NameSyntax.maximumLength) bytes" }
        return NameSyntax.fault(inElement: text[...], digitsFirst: false)
    }
}
