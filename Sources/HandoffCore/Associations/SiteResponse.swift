/// What a web server has answered: the status, the two header fields that count, and the content.
package struct SiteResponse: Hashable, Sendable {
    /// The longest head of an answer in bytes, several times that of usual ones.
    package static let maximumHeadBytes = 32 * 1024
    /// The longest entity tag that is kept, in bytes.
    static let maximumTagBytes = 128

    package let status: Int
    /// The media type, in lower case and without parameters; nil if the server declares none.
    package let mediaType: String?
    /// The entity tag (RFC 9110, section 8.8.3); nil if there is none that could be sent back.
    package let entityTag: String?
    package let content: [UInt8]

    /// Reads an answer as it is sent over HTTP/1.1: heads of interim answers (1xx), a head, and the content.
    ///
    /// - Throws: ``SiteFailure`` with `invalidAnswer` for anything else, and for a head that is too long or declares
    ///   several types.
    package init(_ bytes: [UInt8]) throws(SiteFailure) {
        var rest = bytes[...]
        while true {
            let lines = try Self.takeHead(&rest)
            let status = try Self.status(lines[0])
            guard !(100...199).contains(status) else { continue }
            let fields = lines.dropFirst().compactMap(Self.field)
            let types = fields.filter { $0.name == "content-type" }
            guard types.count <= 1 else { throw SiteFailure(.invalidAnswer) }
            self.status = status
            mediaType = types.first.map { Self.mediaType($0.value) }
            entityTag = fields.first { $0.name == "etag" && Self.isEntityTag($0.value) }?.value
            content = Array(rest)
            return
        }
    }

    /// Takes the lines up to an empty one, at least one line.
    private static func takeHead(_ rest: inout ArraySlice<UInt8>) throws(SiteFailure) -> [String] {
        var lines: [String] = []
        let start = rest.startIndex
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")), end - start < maximumHeadBytes {
            var line = rest[..<end]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            rest = rest[(end + 1)...]
            guard !line.isEmpty else {
                guard !lines.isEmpty else { throw SiteFailure(.invalidAnswer) }
                return lines
            }
            // Only ASCII counts below.
            lines.append(String(decoding: line, as: UTF8.self))
        }
        throw SiteFailure(.invalidAnswer)
    }

    /// Reads a status line such as `HTTP/1.1 200 OK`.
    private static func status(_ line: String) throws(SiteFailure) -> Int {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3, let status = Int(words[1]),
            (100...599).contains(status)
        else { throw SiteFailure(.invalidAnswer) }
        return status
    }

    private static func field(_ line: String) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return (line[..<colon].lowercased(), String(value.reversed().drop { $0 == " " || $0 == "\t" }.reversed()))
    }

    private static func mediaType(_ value: String) -> String {
        let type = value.prefix { $0 != ";" }.lowercased()
        return String(type.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "/+.-_".contains($0)) }.prefix(60))
    }

    /// Whether a server would take it for one of its entity tags: visible ASCII in quotes, with or without `W/`.
    static func isEntityTag(_ text: String) -> Bool {
        let quoted = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
        return text.utf8.count <= maximumTagBytes && quoted.utf8.count >= 2 && quoted.hasPrefix("\"")
            && quoted.hasSuffix("\"")
            && quoted.utf8.dropFirst().dropLast().allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
    }
}
