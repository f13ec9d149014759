import DBus
import HandoffApps
import HandoffCore
import HandoffFolders
import HandoffModel
package import HandoffRadio
package import Logging
import SystemPackage

/// All settings of a daemon, resolved from the command line, the configuration file and the environment, in this order.
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
        radio = try Self.radio(line.radio ?? file.radio ?? "bluez", adapter: line.adapter, usual: file.adapter)
        transport = try Self.transport(line.transport ?? file.transport ?? ChannelTransport.automatic.rawValue)
        if line.transport != nil, case .simulated = radio {
            throw SettingsError("--transport can be used with --radio bluez only.")
        }
        logLevel = try Self.level(line.logLevel ?? file.logLevel ?? "info")
        let directories = AppDirectories(environment: environment)
        var daemon = DaemonOptions(
            bus: try Self.bus(line.bus ?? file.bus ?? "session"),
            stateDirectory: try StateDirectory.path(option: line.stateDirectory, environment: environment),
            name: try Self.name(line.name ?? file.name, hostName: hostName),
            staysWhenAway: file.staysWhenAway ?? false,
            coversAdvertisement: line.covers || file.coverAdvertisement ?? false,
            apps: AppScan(directories: directories, searchPath: environment["PATH"] ?? ""),
            documentApps: DocumentAppScan(directories: directories, environment: environment)
        )
        daemon.earlierStateDirectory =
            line.stateDirectory == nil ? EarlierStateDirectory.path(environment: environment) : nil
        daemon.home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        daemon.runtimeDirectory = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? FilePath($0) : nil }
        daemon.folders = try Self.folders(file.folders ?? [:], home: daemon.home)
        daemon.notifies = file.notifies ?? true
        self.daemon = daemon
    }

    /// - Parameter usual: the Bluetooth adapter to use when the command line names none.
    private static func radio(_ text: String, adapter: String?, usual: String?) throws -> RadioChoice {
        if text == "bluez" { return .bluez(adapter: try (adapter ?? usual).map(checkedAdapter)) }
        let prefix = "simulated:"
        guard text.hasPrefix(prefix), text.count > prefix.count else {
            throw SettingsError("--radio is \"\(text)\"; it can be bluez or simulated:DIRECTORY.")
        }
        guard adapter == nil else { throw SettingsError("--adapter can be used with --radio bluez only.") }
        return .simulated(directory: String(text.dropFirst(prefix.count)))
    }

    private static func checkedAdapter(_ name: String) throws -> String {
        guard name.hasPrefix("hci"), UInt16(name.dropFirst(3)).map({ "hci\($0)" }) == name else {
            throw SettingsError("--adapter is \"\(name)\"; adapters are named hci0, hci1 and so on.")
        }
        return name
    }

    private static func transport(_ text: String) throws -> ChannelTransport {
        guard let transport = ChannelTransport(rawValue: text) else {
            throw SettingsError("--transport is \"\(text)\"; it can be automatic, both, l2cap or gatt.")
        }
        return transport
    }

    private static func bus(_ text: String) throws -> BusAddress {
        guard !text.isEmpty else {
            throw SettingsError("--bus is empty; it can be session, system or the address of a bus.")
        }
        return BusAddress(argument: text)
    }

    private static func folders(_ paths: [String: String], home: String?) throws -> SyncedFolders {
        var folders = SyncedFolders()
        for (id, path) in paths {
            do {
                let id = try FolderID(id)
                folders[id] = try SyncedFolder(id: id, path: path, home: home)
            } catch let error as ModelError {
                throw SettingsError("folders in the configuration file: \(error.message)")
            } catch {
                throw SettingsError("folders in the configuration file: \(error)")
            }
        }
        return folders
    }

    private static func level(_ text: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingsError("--log-level is \"\(text)\"; it can be one of \(levels).")
        }
        return level
    }

    private static func name(_ text: String?, hostName: String) throws -> DeviceName {
        guard let text else { return DeviceName(cleaning: hostName) ?? .linux }
        do {
            return try DeviceName(text)
        } catch {
            throw SettingsError("--name: \(error.message)")
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
