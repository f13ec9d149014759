/// Returns the name of a file of another device with a low line in place of each character that deceives the eye, ends a line
/// or controls a terminal: what `NameCleaning` removes from the name of a device, and white space that is a control
/// character.
///
/// All else stays, also bytes that are no UTF-8, since a file keeps its name where it can; but for those that are control
/// characters to a terminal (C1, 0x80 to 0x9F).
package func visibleFileName(_ name: some Collection<UInt8>) -> [UInt8] {
    let parts = FileNamePart.all(of: name)
    var marks = 0
    return parts.indices.flatMap { index in
        marks = parts[index].scalar?.isMark == true ? marks + 1 : 0
        let isKept = marks <= NameCleaning.maximumMarks && FileNamePart.isKept(at: index, of: parts)
        return isKept ? parts[index].bytes : [UInt8(ascii: "_")]
    }
}

/// A character of the name of a file, or bytes that are none.
private struct FileNamePart {
    let scalar: Unicode.Scalar?
    let bytes: [UInt8]

    static func all(of name: some Collection<UInt8>) -> [FileNamePart] {
        var (parser, iterator, rest) = (Unicode.UTF8.ForwardParser(), name.makeIterator(), Array(name)[...])
        var parts: [FileNamePart] = []
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                parts.append(FileNamePart(scalar: UTF8.decode(encoded), bytes: Array(rest.prefix(encoded.count))))
                rest = rest.dropFirst(encoded.count)
            case .error(let length):
                parts.append(FileNamePart(scalar: nil, bytes: Array(rest.prefix(length))))
                rest = rest.dropFirst(length)
            case .emptyInput: return parts
            }
        }
    }

    /// Whether a name may have this part, between those beside it.
    static func isKept(at index: Int, of parts: [FileNamePart]) -> Bool {
        guard let scalar = parts[index].scalar else {
            return !parts[index].bytes.contains { (0x80...0x9F).contains($0) }
        }
        guard scalar.isJoiner else { return scalar.isHarmlessInLine && !scalar.isRemovedFromNames }
        return [index - 1, index + 1].allSatisfy { neighbour in
            parts.indices.contains(neighbour) && parts[neighbour].scalar?.mayBeJoined == true
        }
    }
}
