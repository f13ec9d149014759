import FoundationEssentials

/// A file of settings of an earlier version of handoffd: an object in JSON5.
struct EarlierSettings {
    /// The texts of the settings, by their keys.
    private(set) var texts: [String: String] = [:]
    /// The paths of folders, by their ids.
    private(set) var folders: [String: String] = [:]
    /// The file, as messages name it.
    let place: String

    /// Whether a file is one of these: no line of today's begins like it.
    static func isWritten(in data: Data) -> Bool {
        let first = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "/")
    }

    /// Reads a file.
    ///
    /// - Throws: ``SettingsError`` when it is not JSON5, or has an unknown key or a value of another kind.
    init(_ data: Data, at path: String) throws(SettingsError) {
        place = "the configuration file \(path)"
        let document: [String: Value]
        do {
            let decoder = JSONDecoder()
            decoder.allowsJSON5 = true
            document = try decoder.decode([String: Value].self, from: data)
        } catch {
            throw SettingsError("The configuration file \(path) is invalid: it is no object in JSON5.")
        }
        for (key, value) in document.sorted(by: { $0.key < $1.key }) {
            let setting = Setting.all.first { $0.key == key }
            switch (value, setting?.isSwitch) {
            case (.absent, _) where setting != nil || key == SettingFiles.folders: break
            case (.text(let text), false): texts[key] = text
            case (.flag(let isOn), true): texts[key] = isOn ? "yes" : "no"
            case (.folders(let paths), nil) where key == SettingFiles.folders: folders = paths
            default:
                let isUnknown = setting == nil && key != SettingFiles.folders
                let fault = isUnknown ? "there is no such setting" : "it cannot be that"
                throw SettingsError("The configuration file \(path) is invalid: \(key): \(fault).")
            }
        }
    }

    private enum Value: Decodable {
        case text(String)
        case flag(Bool)
        case folders([String: String])
        case absent
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .absent
            } else if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let folders = try? container.decode([String: String].self) {
                self = .folders(folders)
            } else {
                self = .other
            }
        }
    }
}
