import HandoffModel

/// The name of a copy: that of the file, as far as it can have it in a directory of this computer.
struct CopyName: Sendable {
    /// What file systems of Linux allow, less the number and what some take for themselves.
    private static let maximumBytes = 240
    /// An ending that is longer is a part of the name.
    private static let maximumEndingBytes = 16

    private let stem: [UInt8]
    private let ending: [UInt8]

    /// Makes a name that another device has told; nil if it is that of no file.
    ///
    /// A point or a hyphen at its beginning becomes a low line: the copy is not hidden, is nothing that a program reads
    /// because of its name, such as `.profile`, and no option of a command to which `*` gives it. So does each character that
    /// ``visibleFileName(_:)`` does not keep.
    init?(_ told: some Sequence<UInt8>) {
        var name = Array(told)
        guard !name.isEmpty, name != Array(".".utf8), name != Array("..".utf8),
            !name.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
        else { return nil }
        name = visibleFileName(name)
        if [UInt8(ascii: "."), UInt8(ascii: "-")].contains(name[0]) { name[0] = UInt8(ascii: "_") }
        let point = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        let isEnding = point > 0 && name.endIndex - point <= Self.maximumEndingBytes
        ending = isEnding ? Array(name[point...]) : []
        stem = Self.beginning(of: name.dropLast(ending.count), Self.maximumBytes - ending.count)
    }

    /// The first bytes of a name, which end with a character.
    private static func beginning(of name: ArraySlice<UInt8>, _ count: Int) -> [UInt8] {
        guard name.count > count else { return Array(name) }
        // The bytes of a character after its first one, three at most, are 10xxxxxx; so may be bytes that are no text.
        let limit = name.startIndex + count
        let end = (max(name.startIndex, limit - 3)...limit).last { name[$0] & 0xC0 != 0x80 } ?? limit
        return Array(name[..<end])
    }

    /// The name, with a number before its ending where the first ones are those of other files: `report (2).pdf`.
    func numbered(_ number: Int) -> [UInt8] {
        number == 1 ? stem + ending : stem + Array(" (\(number))".utf8) + ending
    }
}
