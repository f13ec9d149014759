/// Removes from a text what the name of a device cannot contain (Docs/Protocol.md, "Names").
///
/// The code points are listed here instead of taken from general categories, so that two implementations remove the
/// same ones whatever version of Unicode they know. Only which code points are combining marks depends on the version.
struct NameCleaning {
    /// The most combining marks after one character: more than any language writes.
    static let maximumMarks = 8

    /// The cleaned text.
    var text: String { String(kept) }

    /// Whether anything but white space was removed.
    private(set) var hasRemoved = false

    private var kept = String.UnicodeScalarView()
    private var byteCount = 0
    private var marks = 0
    private var isBlankPending = false
    private var pendingJoiner: Unicode.Scalar?

    /// Cleans a text, and cuts it to `limit` UTF-8 bytes between two code points.
    init(_ text: String, limit: Int = .max) {
        for scalar in text.unicodeScalars {
            guard take(scalar, limit) else { break }
        }
        // A joiner at the end joins nothing.
        if pendingJoiner != nil { hasRemoved = true }
    }

    /// Keeps, replaces or removes one scalar; returns false when the text has reached its limit.
    private mutating func take(_ scalar: Unicode.Scalar, _ limit: Int) -> Bool {
        if scalar.isVisibleASCII {
            marks = 0
            return append(scalar, limit)
        } else if scalar.isBlankInName {
            isBlankPending = !kept.isEmpty
            dropJoiner()
        } else if scalar.isJoiner {
            dropJoiner()
            if !isBlankPending, kept.last?.mayBeJoined == true { pendingJoiner = scalar } else { hasRemoved = true }
        } else if scalar.isRemovedFromNames {
            hasRemoved = true
        } else if scalar.isMark {
            if isBlankPending { marks = 0 }
            guard !kept.isEmpty, marks < Self.maximumMarks else {
                hasRemoved = true
                return true
            }
            marks += 1
            return append(scalar, limit)
        } else {
            marks = 0
            return append(scalar, limit)
        }
        return true
    }

    /// Appends a scalar after the space or the joiner before it.
    private mutating func append(_ scalar: Unicode.Scalar, _ limit: Int) -> Bool {
        var piece: [Unicode.Scalar] = []
        if isBlankPending { piece.append(" ") }
        if let joiner = pendingJoiner, scalar.mayBeJoined { piece.append(joiner) } else { dropJoiner() }
        piece.append(scalar)
        byteCount += piece.reduce(0) { $0 + UTF8.width($1) }
        guard byteCount <= limit else { return false }
        kept.append(contentsOf: piece)
        (isBlankPending, pendingJoiner) = (false, nil)
        return true
    }

    private mutating func dropJoiner() {
        if pendingJoiner != nil { hasRemoved = true }
        pendingJoiner = nil
    }
}

extension Unicode.Scalar {
    /// Whether this is a character of almost all names, which are cleaned often: each is looked up in no list.
    fileprivate var isVisibleASCII: Bool { 0x21...0x7E ~= value }

    /// Whether a name shows this scalar as white space: `White_Space` of Unicode, and the blank Braille pattern.
    var isBlankInName: Bool { Self.blanks.contains { $0.contains(value) } }

    /// ZERO WIDTH NON-JOINER or ZERO WIDTH JOINER, which Persian, the scripts of India and emoji need.
    var isJoiner: Bool { value == 0x200C || value == 0x200D }

    /// Whether a joiner beside this scalar may be visible: no alphabet before Hebrew uses one.
    var mayBeJoined: Bool { value >= 0x0590 }

    var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Whether a name loses this scalar: a control, formatting or other invisible character, private use, or a
    /// noncharacter.
    var isRemovedFromNames: Bool {
        // The last two code points of each plane are noncharacters.
        value & 0xFFFE == 0xFFFE || Self.removed.contains { $0.contains(value) }
    }

    private static let blanks: [ClosedRange<UInt32>] = [
        0x0009...0x000D, 0x0020...0x0020, 0x0085...0x0085, 0x00A0...0x00A0, 0x1680...0x1680, 0x2000...0x200A,
        0x2028...0x2029, 0x202F...0x202F, 0x205F...0x205F, 0x2800...0x2800, 0x3000...0x3000,
    ]

    /// Controls, formatting and other invisible characters, private use, and noncharacters.
    ///
    /// These are the general categories Cc, Cf and Co and the property `Default_Ignorable_Code_Point` of Unicode 16.0
    /// (UnicodeData.txt, DerivedCoreProperties.txt) without white space, joiners, and the
    /// variation selectors U+180B…U+180D, U+180F and U+FE00…U+FE0F.
    private static let removed: [ClosedRange<UInt32>] = [
        0x0000...0x0008, 0x000E...0x001F, 0x007F...0x0084, 0x0086...0x009F, 0x00AD...0x00AD, 0x034F...0x034F,
        0x0600...0x0605, 0x061C...0x061C, 0x06DD...0x06DD, 0x070F...0x070F, 0x0890...0x0891, 0x08E2...0x08E2,
        0x115F...0x1160, 0x17B4...0x17B5, 0x180E...0x180E, 0x200B...0x200B, 0x200E...0x200F, 0x202A...0x202E,
        0x2060...0x206F, 0x3164...0x3164, 0xE000...0xF8FF, 0xFDD0...0xFDEF, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0,
        0xFFF0...0xFFFB, 0x110BD...0x110BD, 0x110CD...0x110CD, 0x13430...0x1343F, 0x1BCA0...0x1BCA3,
        0x1D173...0x1D17A, 0xE0000...0xE0FFF, 0xF0000...0x10FFFF,
    ]
}
