/// The name that an adapter gives to every device that connects.
struct AdapterAlias: Hashable, Sendable {
    /// Names that say no more than what kind of device it is, in lower case.
    ///
    /// `bluez` is the default of main.conf, with a version behind it (bluez src/main.c).
    private static let neutral: Set<String> = [
        "", "bluetooth", "bluez", "computer", "desktop", "device", "laptop", "linux", "pc", "workstation",
    ]

    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Whether many computers have the name; a number behind it, such as the version of BlueZ, changes nothing.
    var isNeutral: Bool {
        let words = text.lowercased().split(separator: " ")
        let hasNumber = words.count == 2 && words[1].allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard words.count <= 1 || (hasNumber && words[0] == "bluez") else { return false }
        return Self.neutral.contains(words.first.map(String.init) ?? "")
    }
}
