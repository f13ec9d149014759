extension DecodingError {
    /// Where the value is that cannot be read, as its keys with points between them, empty for the whole; and what is wrong
    /// with it, as a clause without a point for a person who knows JSON and not Swift.
    package var explanation: (place: String, reason: String) {
        switch self {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            (Self.place(context), "it has to be \(Self.words(for: type))")
        case .keyNotFound(let key, let context): (Self.place(context), "\(key.stringValue) is missing")
        case .dataCorrupted(let context): (Self.place(context), Self.clause(context.debugDescription))
        @unknown default: ("", "it cannot be read")
        }
    }

    private static func place(_ context: Context) -> String {
        context.codingPath.map(\.stringValue).joined(separator: ".")
    }

    /// A description without its point; Foundation names the type of Swift for which a number is too large.
    private static func clause(_ description: String) -> String {
        if description.hasPrefix("Parsed JSON number") || description.contains("representable in Swift") {
            return "the number is too large"
        }
        return String(description.hasSuffix(".") ? description.dropLast() : description[...])
    }

    private static func words(for type: Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
        case is any JSONList.Type: "a list"
        default: "an object"
        }
    }
}

/// What is a list in JSON.
private protocol JSONList {}
extension Array: JSONList {}
