import DBus
import HandoffApps
import HandoffCore
import HandoffFolders
import HandoffModel
package import HandoffRadio
package import Logging
import SystemPackage

/// All settings of a daemon, resolved from the command line, the configuration files and the environment, in this order.
package struct Settings: Sendable {
    /// The radio that the daemon uses.
    package enum RadioChoice: Hashable, Sendable {
        /// Bluetooth, over the adapter of that name; nil for the first usable one.
        case bluez(adapter: String?)
        /// A simulated air in a directory, for trying handoffd without Bluetooth.
        case simulated(directory: String)
    }

    package let radio: RadioChoice
    package let transport: ChannelTransport
    package let daemon: DaemonOptions
    package let logLevel: Logger.Level

    /// The options given on the command line; nil for those that were not given.
    package struct CommandLine: Sendable {
        package var radio: String?
        package var adapter: String?
        package var transport: String?
        package var bus: String?
        package var stateDirectory: String?
        package var configuration: String?
        package var name: String?
        package var logLevel: String?
        /// Whether a cover advertisement is broadcast while there is nothing to continue; false leaves it to the file.
        package var covers = false

        package init() {}
    }

    /// Resolves the settings.
    ///
    /// - Throws: ``SettingsError`` that names the setting and its allowed values.
    package init(_ line: CommandLine, environment: [String: String], hostName: String) throws {
        let file = try ConfigurationFile.loaded(option: line.configuration, environment: environment)
        radio = try Self.radio(
            ChosenText(line.radio, "--radio", file, .radio, default: "bluez"),
            adapter: line.adapter,
            usual: file
        )
        let automatic = ChannelTransport.automatic.rawValue
        transport = try Self.transport(ChosenText(line.transport, "--transport", file, .transport, default: automatic))
        if line.transport != nil, case .simulated = radio {
            throw SettingsError("--transport can be used with --radio bluez only.")
        }
        logLevel = try Self.level(ChosenText(line.logLevel, "--log-level", file, .logLevel, default: "info"))
        let directories = AppDirectories(environment: environment)
        var daemon = DaemonOptions(
            bus: try Self.bus(ChosenText(line.bus, "--bus", file, .bus, default: "session")),
            stateDirectory: try StateDirectory.path(option: line.stateDirectory, environment: environment),
            name: try Self.name(ChosenText(line.name, "--name", file, .name, default: ""), hostName: hostName),
            staysWhenAway: file.flag(.staysWhenAway) ?? false,
            coversAdvertisement: line.covers || file.flag(.coverAdvertisement) ?? false,
            apps: AppScan(directories: directories, searchPath: environment["PATH"] ?? ""),
            documentApps: DocumentAppScan(directories: directories, environment: environment)
        )
        daemon.home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        daemon.runtimeDirectory = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? FilePath($0) : nil }
        daemon.siteCache = SiteCache(environment: environment)
        daemon.folders = try Self.folders(file, home: daemon.home)
        daemon.notifies = file.flag(.notifies) ?? true
        daemon.usesLocalNetwork = file.flag(.localNetwork) ?? true
        self.daemon = daemon
    }

    /// - Parameter usual: names the Bluetooth adapter when the command line names none.
    private static func radio(_ radio: ChosenText, adapter: String?, usual: ConfigurationFile) throws -> RadioChoice {
        let text = radio.text
        if text == "bluez" {
            let chosen = ChosenText(adapter, "--adapter", usual, .adapter, default: "")
            return .bluez(adapter: chosen.isDefault ? nil : try checkedAdapter(chosen))
        }
        let prefix = "simulated:"
        guard text.hasPrefix(prefix), text.count > prefix.count else {
            throw radio.error("it can be bluez or simulated:DIRECTORY.")
        }
        guard adapter == nil else { throw SettingsError("--adapter can be used with --radio bluez only.") }
        return .simulated(directory: String(text.dropFirst(prefix.count)))
    }

    private static func checkedAdapter(_ adapter: ChosenText) throws -> String {
        let name = adapter.text
        guard name.hasPrefix("hci"), UInt16(name.dropFirst(3)).map({ "hci\($0)" }) == name else {
            throw adapter.error("adapters are named hci0, hci1 and so on.")
        }
        return name
    }

    private static func transport(_ chosen: ChosenText) throws -> ChannelTransport {
        guard let transport = ChannelTransport(rawValue: chosen.text) else {
            throw chosen.error("it can be automatic, both, l2cap or gatt.")
        }
        return transport
    }

    private static func bus(_ chosen: ChosenText) throws -> BusAddress {
        guard !chosen.text.isEmpty else { throw chosen.error("it can be session, system or the address of a bus.") }
        return BusAddress(argument: chosen.text)
    }

    private static func folders(_ file: ConfigurationFile, home: String?) throws -> SyncedFolders {
        var folders = SyncedFolders()
        for (id, path) in file.folders.sorted(by: { $0.key < $1.key }) {
            do {
                let id = try FolderID(id)
                folders[id] = try SyncedFolder(id: id, path: path, home: home)
            } catch let error as ModelError {
                throw SettingsError("\(file.place(of: .folders)): \(error.message)")
            } catch {
                throw SettingsError("\(file.place(of: .folders)): \(error)")
            }
        }
        return folders
    }

    private static func level(_ chosen: ChosenText) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: chosen.text) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw chosen.error("it can be one of \(levels).")
        }
        return level
    }

    private static func name(_ chosen: ChosenText, hostName: String) throws -> DeviceName {
        if chosen.isDefault { return DeviceName(cleaning: hostName) ?? .linux }
        do {
            return try DeviceName(chosen.text)
        } catch {
            throw SettingsError("\(chosen.place): \(error.message)")
        }
    }
}

/// An unusable setting: a sentence that names it and its allowed values.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    package let message: String

    package var description: String { message }

    package init(_ message: String) {
        self.message = message
    }
}

/// The text of a setting, and where it was chosen, as messages name it.
private struct ChosenText {
    let text: String
    let place: String
    /// Whether it was given nowhere.
    let isDefault: Bool

    /// The command line takes precedence over the configuration file.
    init(
        _ line: String?,
        _ option: String,
        _ file: ConfigurationFile,
        _ key: ConfigurationFile.Key,
        default usual: String
    ) {
        let written = file.text(key)
        text = line ?? written ?? usual
        place = line == nil && written != nil ? file.place(of: key) : option
        isDefault = line == nil && written == nil
    }

    /// The error for a text that cannot be used; `remedy` says what can.
    func error(_ remedy: String) -> SettingsError {
        SettingsError(text.isEmpty ? "\(place) is empty; \(remedy)" : "\(place) is \"\(text)\"; \(remedy)")
    }
}
