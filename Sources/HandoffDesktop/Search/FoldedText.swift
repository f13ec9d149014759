/// The words of a text as they are compared in a search: without case and accents, and apart where the script has no spaces.
struct FoldedText {
    /// A word, or what is between two of them in a script that is written without spaces.
    struct Word: Hashable, Sendable {
        let text: String
        /// Whether it is of a script without spaces: each part of it may be a word.
        let isUnspaced: Bool

        /// Whether what a person looks for, which is a word as well, begins this word; or is in it, without spaces.
        func matches(_ term: Word) -> Bool {
            let (mine, its) = (text.unicodeScalars, term.text.unicodeScalars)
            if mine.starts(with: its) || text.hasPrefix(term.text) { return true }
            guard isUnspaced else { return false }
            return mine.indices.contains { mine[$0...].starts(with: its) }
        }
    }

    /// The words, in their order.
    let words: [Word]

    init(_ text: String) {
        var words: [Word] = []
        for part in Self.folded(text).split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            var rest = part
            while let first = rest.first {
                let isUnspaced = first.isUnspaced
                let word = rest.prefix { $0.isUnspaced == isUnspaced }
                words.append(Word(text: String(word), isUnspaced: isUnspaced))
                rest = rest.dropFirst(word.count)
            }
        }
        self.words = words
    }

    private static func folded(_ text: String) -> String {
        // Full-width letters first: their small ones are full-width as well.
        let narrow = String(String.UnicodeScalarView(text.unicodeScalars.map(\.narrow)))
        let letters = narrow.lowercased().map { bases[$0] ?? String($0) }.joined()
        return String(String.UnicodeScalarView(letters.unicodeScalars.filter { !$0.isAccent }))
    }

    /// What stands for a letter with an accent, however it is composed: Characters are equal by canonical equivalence.
    private static let bases: [Character: String] = accented.reduce(into: [:]) { bases, entry in
        for letter in entry.letters { bases[letter] = entry.base }
    }

    /// Small letters of the Latin, Greek, Cyrillic and Arabic scripts that have another one as their base (UnicodeData.txt,
    /// Decomposition_Mapping), and those with a stroke or of two letters that people write without.
    private static let accented: [(base: String, letters: String)] = [
        ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
        ("b", "ḃḅḇ"),
        ("c", "çćĉċčḉ"),
        ("d", "ďḋḍḏḑḓđð"),
        ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
        ("f", "ḟ"),
        ("g", "ĝğġģǧǵḡ"),
        ("h", "ĥȟḣḥḧḩḫẖħ"),
        ("i", "ìíîïĩīĭįǐȉȋḭḯỉịı"),
        ("j", "ĵǰ"),
        ("k", "ķǩḱḳḵ"),
        ("l", "ĺļľḷḹḻḽł"),
        ("m", "ḿṁṃ"),
        ("n", "ñńņňǹṅṇṉṋ"),
        ("o", "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợøǿ"),
        ("p", "ṕṗ"),
        ("r", "ŕŗřȑȓṙṛṝṟ"),
        ("s", "śŝşšșṡṣṥṧṩ"),
        ("t", "ţťțṫṭṯṱẗŧ"),
        ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
        ("v", "ṽṿ"),
        ("w", "ŵẁẃẅẇẉẘ"),
        ("x", "ẋẍ"),
        ("y", "ýÿŷȳẏẙỳỵỷỹ"),
        ("z", "źżžẑẓẕ"),
        ("ae", "æǣǽ"),
        ("ʒ", "ǯ"),
        ("α", "άἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"),
        ("ε", "έἐἑἒἓἔἕὲέ"),
        ("η", "ήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"),
        ("ι", "ΐίϊἰἱἲἳἴἵἶἷὶίιῐῑῒΐῖῗ"),
        ("ο", "όὀὁὂὃὄὅὸό"),
        ("ρ", "ῤῥ"),
        ("σ", "ς"),
        ("υ", "ΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ"),
        ("ω", "ώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"),
        ("а", "ӑӓ"),
        ("г", "ѓ"),
        ("е", "ѐёӗ"),
        ("ж", "ӂӝ"),
        ("з", "ӟ"),
        ("и", "йѝӣӥ"),
        ("к", "ќ"),
        ("о", "ӧ"),
        ("у", "ўӯӱӳ"),
        ("ч", "ӵ"),
        ("ы", "ӹ"),
        ("э", "ӭ"),
        ("і", "ї"),
        ("ѵ", "ѷ"),
        ("ә", "ӛ"),
        ("ө", "ӫ"),
        ("ا", "آأإ"),
        ("و", "ؤ"),
        ("ي", "ئ"),
        ("ہ", "ۂ"),
        ("ے", "ۓ"),
        ("ە", "ۀ"),
        ("ss", "ß"),
        ("oe", "œ"),
        ("th", "þ"),
    ]
}

extension Character {
    /// Whether it is of a script that is written without spaces between words.
    fileprivate var isUnspaced: Bool {
        guard let value = unicodeScalars.first?.value, value >= 0x0E00 else { return false }
        return Self.unspaced.contains { $0.contains(value) }
    }

    /// Thai and Lao, Tibetan, Myanmar, Khmer, kana, bopomofo, Han, and half-width kana (Blocks.txt).
    private static let unspaced: [ClosedRange<UInt32>] = [
        0x0E00...0x0EFF, 0x0F00...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x312F,
        0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x1B000...0x1B16F,
        0x20000...0x323AF,
    ]
}

extension Unicode.Scalar {
    /// The ASCII character of a full-width one; any other one as it is.
    fileprivate var narrow: Unicode.Scalar {
        (0xFF01...0xFF5E).contains(value) ? Unicode.Scalar(value - 0xFF01 + 0x21) ?? self : self
    }

    /// Whether it is an accent, or a point of Hebrew or Arabic, that people leave out when they look for a word.
    fileprivate var isAccent: Bool {
        switch value {
        case 0x0300...0x036F, 0x0591...0x05BD, 0x05BF...0x05C7, 0x0640, 0x064B...0x065F, 0x0670, 0x1AB0...0x1ACE,
            0x1DC0...0x1DFF:
            true
        default: false
        }
    }
}
