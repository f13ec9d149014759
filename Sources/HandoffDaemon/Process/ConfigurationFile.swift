import FoundationEssentials
import Glibc

/// The configuration file: a JSON5 object, so that it may contain comments.
struct ConfigurationFile: Decodable {
    var radio: String?
    var adapter: String?
    var transport: String?
    var bus: String?
    var name: String?
    var logLevel: String?
    var staysWhenAway: Bool?
    var coverAdvertisement: Bool?
    var notifies: Bool?
    /// The paths of synchronised folders, by their ids.
    var folders: [String: String]?

    private enum Key: String, CodingKey, CaseIterable {
        case radio, adapter, transport, bus, name, logLevel, staysWhenAway, notifies, coverAdvertisement, folders
    }

    /// Returns the requested file, otherwise the user's own if it exists, otherwise an empty configuration.
    ///
    /// - Throws: ``SettingsError`` when the file cannot be read, is not JSON5, or has an unknown key.
    static func loaded(option: String?, environment: [String: String]) throws -> ConfigurationFile {
        guard let path = option ?? usersOwn(environment) else { return ConfigurationFile() }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            let reason = access(path, R_OK) == 0 ? "it is no file" : String(cString: strerror(errno))
            throw SettingsError("The configuration file \(path) cannot be read: \(reason).")
        }
        do {
            let decoder = JSONDecoder()
            decoder.allowsJSON5 = true
            return try decoder.decode(ConfigurationFile.self, from: data)
        } catch let error as DecodingError {
            let place = JSON5Syntax.firstFault(in: String(decoding: data, as: UTF8.self))
            throw SettingsError("The configuration file \(path) is invalid: \(place ?? explanation(error))")
        }
    }

    init() {}

    init(from decoder: any Decoder) throws {
        try Self.checkKeys(decoder)
        let container = try decoder.container(keyedBy: Key.self)
        radio = try container.decodeIfPresent(String.self, forKey: .radio)
        adapter = try container.decodeIfPresent(String.self, forKey: .adapter)
        transport = try container.decodeIfPresent(String.self, forKey: .transport)
        bus = try container.decodeIfPresent(String.self, forKey: .bus)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        logLevel = try container.decodeIfPresent(String.self, forKey: .logLevel)
        staysWhenAway = try container.decodeIfPresent(Bool.self, forKey: .staysWhenAway)
        folders = try container.decodeIfPresent([String: String].self, forKey: .folders)
        notifies = try container.decodeIfPresent(Bool.self, forKey: .notifies)
        coverAdvertisement = try container.decodeIfPresent(Bool.self, forKey: .coverAdvertisement)
    }

    /// Rejects unknown keys: they are most likely typing errors, which should be reported.
    private static func checkKeys(_ decoder: any Decoder) throws {
        let entries = try decoder.singleValueContainer().decode([String: Ignored].self)
        for key in entries.keys.sorted() where Key(rawValue: key) == nil {
            let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "unknown setting \"\(key)\"; the settings are \(known)."
                )
            )
        }
    }

    private struct Ignored: Decodable {
        init(from decoder: any Decoder) {}
    }

    private static func usersOwn(_ environment: [String: String]) -> String? {
        let base =
            if let configured = environment["XDG_CONFIG_HOME"], configured.hasPrefix("/") {
                configured
            } else {
                (environment["HOME"] ?? "") + "/.config"
            }
        let path = base + "/handoff/handoffd.json"
        return access(path, F_OK) == 0 ? path : nil
    }

    private static func explanation(_ error: DecodingError) -> String {
        switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
        @unknown default:
            return "\(error)"
        }
    }
}
