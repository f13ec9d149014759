import Foundation
import FoundationXML

/// The contents of a description of interfaces (D-Bus specification, "Introspection Data Format").
struct InterfaceXML: Equatable {
    struct Member: Equatable {
        /// `method`, `signal` or `property`.
        let kind: String
        let name: String
        /// The type of a property and its access; empty for others.
        var type = ""
        /// Name, type and direction of each argument.
        var arguments: [[String]] = []
        /// Annotations that change what a program may rely on.
        var annotations: [String: String] = [:]
    }

    /// The members of each interface, by kind and name.
    var interfaces: [String: [String: Member]] = [:]

    /// Reads a description; `comments` gets the comments in it.
    static func parse(_ text: String, comments: inout [String]) throws -> InterfaceXML {
        let parser = XMLParser(data: Data(text.utf8))
        let reader = Reader()
        parser.delegate = reader
        guard parser.parse() else { throw Malformed(description: "\(parser.parserError.debugDescription)") }
        comments = reader.comments
        return reader.result
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var result = InterfaceXML()
        var comments: [String] = []
        private var interface = ""
        private var member: Member?

        func parser(
            _ parser: XMLParser,
            didStartElement element: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            let name = attributes["name"] ?? ""
            switch element {
            case "interface":
                interface = name
                result.interfaces[name] = [:]
            case "method", "signal", "property":
                let type = [attributes["type"], attributes["access"]].compactMap(\.self).joined(separator: " ")
                member = Member(kind: element, name: name, type: type)
            case "arg":
                member?.arguments.append([name, attributes["type"] ?? "", attributes["direction"] ?? ""])
            case "annotation":
                member?.annotations[name] = attributes["value"]
            default: break
            }
        }

        func parser(
            _ parser: XMLParser,
            didEndElement element: String,
            namespaceURI: String?,
            qualifiedName: String?
        ) {
            guard let member, element == member.kind else { return }
            result.interfaces[interface, default: [:]]["\(element) \(member.name)"] = member
            self.member = nil
        }

        func parser(_ parser: XMLParser, foundComment comment: String) {
            comments.append(comment.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
