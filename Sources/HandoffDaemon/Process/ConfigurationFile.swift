import FoundationEssentials
import Glibc
import HandoffJSON

/// What the configuration files say: JSON5 objects, so that they may contain comments.
///
/// The user's own file comes first. What it leaves out is taken from those of the system, which distributions and
/// administrators write.
struct ConfigurationFile {
    /// A setting, by its name in the files.
    enum Key: String, CodingKey, CaseIterable {
        case radio, adapter, transport, bus, name, logLevel, staysWhenAway, notifies, coverAdvertisement,
            localNetwork, folders

        fileprivate static let texts: [Key] = [.radio, .adapter, .transport, .bus, .name, .logLevel]
        fileprivate static let flags: [Key] = [.staysWhenAway, .notifies, .coverAdvertisement, .localNetwork]
    }

    /// The path of a file below each of the directories for configuration.
    private static let name = "handoff/handoffd.json"

    private var texts: [Key: String] = [:]
    private var flags: [Key: Bool] = [:]
    /// The paths of synchronised folders, by their ids.
    private(set) var folders: [String: String] = [:]
    /// The file and the line of each setting.
    private var places: [Key: String] = [:]

    /// Returns the text of a setting; nil when no file has it.
    func text(_ key: Key) -> String? { texts[key] }

    /// Returns whether a setting is on; nil when no file has it.
    func flag(_ key: Key) -> Bool? { flags[key] }

    /// Returns the setting and where it was read, as messages name it.
    func place(of key: Key) -> String {
        "\(key.rawValue) in the configuration file" + (places[key].map { " \($0)" } ?? "")
    }

    /// Returns the requested file and no other; otherwise the user's own above those of the system, of which none need
    /// exist.
    ///
    /// - Throws: ``SettingsError`` when a file cannot be read, is not JSON5, or has an unknown key.
    static func loaded(option: String?, environment: [String: String]) throws(SettingsError) -> ConfigurationFile {
        var merged = ConfigurationFile()
        for path in option.map({ [$0] }) ?? paths(environment).reversed() { merged.add(try read(path)) }
        return merged
    }

    /// Adds the settings of a file that comes before those added so far.
    private mutating func add(_ file: ConfigurationFile) {
        texts.merge(file.texts) { _, new in new }
        flags.merge(file.flags) { _, new in new }
        folders.merge(file.folders) { _, new in new }
        places.merge(file.places) { _, new in new }
    }

    /// The paths of the files that exist, the most important first (XDG Base Directory Specification).
    private static func paths(_ environment: [String: String]) -> [String] {
        let own: String =
            if let configured = environment["XDG_CONFIG_HOME"], configured.hasPrefix("/") {
                configured
            } else {
                (environment["HOME"] ?? "") + "/.config"
            }
        let variable = environment["XDG_CONFIG_DIRS"] ?? ""
        let system = (variable.isEmpty ? "/etc/xdg" : variable).split(separator: ":").map(String.init)
        let directories = [own] + system.filter { $0.hasPrefix("/") }
        return directories.map { "\($0)/\(name)" }.filter { access($0, F_OK) == 0 }
    }

    // MARK: One file

    private static func read(_ path: String) throws(SettingsError) -> ConfigurationFile {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            let reason = access(path, R_OK) == 0 ? "it is no file" : String(cString: strerror(errno))
            throw SettingsError("The configuration file \(path) cannot be read: \(reason).")
        }
        let text = String(decoding: data, as: UTF8.self)
        let lines = JSON5Syntax.settings(in: text)
        do {
            let decoder = JSONDecoder()
            decoder.allowsJSON5 = true
            let document = try decoder.decode(Document.self, from: data)
            try checkForRepetition(lines)
            return ConfigurationFile(document, at: path, lines)
        } catch {
            let reason = JSON5Syntax.firstFault(in: text) ?? explanation(error, lines)
            throw SettingsError("The configuration file \(path) is invalid: \(reason)")
        }
    }

    private init() {}

    private init(_ document: Document, at path: String, _ lines: [(name: String, line: Int)]) {
        (texts, flags, folders) = (document.texts, document.flags, document.folders ?? [:])
        let keys = Array(texts.keys) + Array(flags.keys) + (document.folders == nil ? [] : [.folders])
        for key in keys {
            let line = lines.first { $0.name == key.rawValue }?.line
            places[key] = path + (line.map { ", line \($0)" } ?? "")
        }
    }

    /// The contents of one file.
    private struct Document: Decodable {
        var texts: [Key: String] = [:]
        var flags: [Key: Bool] = [:]
        var folders: [String: String]?

        init(from decoder: any Decoder) throws {
            try Self.checkKeys(decoder)
            let container = try decoder.container(keyedBy: Key.self)
            for key in Key.texts { texts[key] = try container.decodeIfPresent(String.self, forKey: key) }
            for key in Key.flags { flags[key] = try container.decodeIfPresent(Bool.self, forKey: key) }
            folders = try container.decodeIfPresent([String: String].self, forKey: .folders)
        }

        /// Rejects unknown keys: they are most likely typing errors, which should be reported.
        private static func checkKeys(_ decoder: any Decoder) throws {
            let entries = try decoder.singleValueContainer().decode([String: Ignored].self)
            for key in entries.keys.sorted() where Key(rawValue: key) == nil {
                let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
                throw InvalidKey(name: key, message: "there is no such setting; the settings are \(known).")
            }
        }

        private struct Ignored: Decodable {
            init(from decoder: any Decoder) {}
        }
    }

    /// A key that cannot stand where it does.
    private struct InvalidKey: Error {
        let name: String
        let message: String
        var line: Int?
    }

    /// Rejects a key that comes twice, of which only one would count.
    private static func checkForRepetition(_ lines: [(name: String, line: Int)]) throws {
        var first: [String: Int] = [:]
        for (name, line) in lines {
            if let before = first[name] {
                throw InvalidKey(name: name, message: "it is set in line \(before) already.", line: line)
            }
            first[name] = line
        }
    }

    private static func explanation(_ error: any Error, _ lines: [(name: String, line: Int)]) -> String {
        let (name, message, line): (String, String, Int?) =
            switch error {
            case let error as InvalidKey: (error.name, error.message, error.line)
            case let error as DecodingError: (error.explanation.place, error.explanation.reason + ".", nil)
            default: ("", "\(error)", nil)
            }
        let setting = name.split(separator: ".").first.map(String.init)
        let place = line ?? lines.first { $0.name == setting || $0.name == name }?.line
        return (place.map { "line \($0): " } ?? "") + (name.isEmpty ? "" : "\(name): ") + message
    }
}
