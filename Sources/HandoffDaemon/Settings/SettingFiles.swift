import FoundationEssentials
import Glibc
import HandoffModel

/// What the files of settings say.
///
/// The user's own file comes first. What it leaves out is taken from those of the system, which distributions and
/// administrators write.
struct SettingFiles: Sendable {
    /// A text, and where it was read, as messages name it.
    struct Text: Hashable, Sendable {
        let text: String
        let place: String
    }

    /// The section of the settings, and that of the folders.
    static let (section, folders) = ("handoffd", "folders")
    /// The path of a file below each of the directories for configuration, and that of an earlier version, in JSON5.
    private static let (name, earlierName) = ("handoff/handoffd.conf", "handoff/handoffd.json")

    /// The texts of the settings, by their keys.
    private(set) var texts: [String: Text] = [:]
    /// The paths of synchronised folders, by their ids.
    private(set) var folders: [String: Text] = [:]
    /// The files that an earlier version of handoffd has read, in JSON5.
    private(set) var earlierFiles: [String] = []

    /// Reads the requested file and no other; otherwise the user's own above those of the system, of which none need
    /// exist.
    ///
    /// - Throws: ``SettingsError`` when a file cannot be read, or has a line, a section or a key that cannot be used.
    init(option: String?, environment: [String: String]) throws(SettingsError) {
        for path in option.map({ [$0] }) ?? Self.paths(environment).reversed() { try add(path) }
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
        return directories.compactMap { directory in
            [name, earlierName].map { "\(directory)/\($0)" }.first { access($0, F_OK) == 0 }
        }
    }

    /// Adds a file that comes before those added so far.
    private mutating func add(_ path: String) throws(SettingsError) {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            let reason = access(path, R_OK) == 0 ? "it is no file" : String(cString: strerror(errno))
            throw SettingsError("The configuration file \(path) cannot be read: \(reason).")
        }
        if EarlierSettings.isWritten(in: data) {
            earlierFiles.append(path)
            return add(try EarlierSettings(data, at: path))
        }
        // Some editors write a byte order mark.
        guard let text = String(validating: data.trimmingPrefix([0xEF, 0xBB, 0xBF]), as: UTF8.self) else {
            throw SettingsError("The configuration file \(path) is invalid: it is no text in UTF-8.")
        }
        do throws(INIFile.SyntaxError) {
            for entry in try INIFile(text).entries { try add(entry, of: path) }
        } catch {
            throw SettingsError("The configuration file \(path) is invalid: line \(error.line): \(error.message)")
        }
    }

    private mutating func add(_ entry: INIFile.Entry, of path: String) throws(INIFile.SyntaxError) {
        let place = "\(entry.key) in the configuration file \(path), line \(entry.line)"
        switch entry.section {
        case Self.section:
            guard Setting.all.contains(where: { $0.key == entry.key }) else {
                let known = Setting.all.map(\.key).joined(separator: ", ")
                let message = "\(entry.key): there is no such setting; the settings are \(known)."
                throw INIFile.SyntaxError(line: entry.line, message: message)
            }
            texts[entry.key] = Text(text: entry.value, place: place)
        case Self.folders: folders[entry.key] = Text(text: entry.value, place: place)
        default:
            let known = "the sections are [\(Self.section)], [\(Self.folders)]."
            let message = "there is no section [\(entry.section)]; \(known)"
            throw INIFile.SyntaxError(line: entry.line, message: message)
        }
    }

    private mutating func add(_ earlier: EarlierSettings) {
        for (key, text) in earlier.texts { texts[key] = Text(text: text, place: "\(key) in \(earlier.place)") }
        for (id, path) in earlier.folders { folders[id] = Text(text: path, place: "\(id) in \(earlier.place)") }
    }

    /// The same as the text of one file.
    ///
    /// - Throws: ``SettingsError`` for a value that such a file cannot have.
    func text() throws(SettingsError) -> String {
        let all = (Array(texts.values) + Array(folders.values)).sorted { $0.place < $1.place }
        for text in all where INIFile.isUnwritable(text.text) {
            throw SettingsError("\(text.place) begins or ends with a space, or has a line break: rename it.")
        }
        let settings = Setting.all.compactMap { setting in texts[setting.key].map { "\(setting.key) = \($0.text)" } }
        let paths = folders.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value.text)" }
        let sections = [(Self.section, settings), (Self.folders, paths)].filter { !$0.1.isEmpty }
        return sections.map { name, lines in "[\(name)]\n" + lines.map { $0 + "\n" }.joined() }.joined(separator: "\n")
    }
}
