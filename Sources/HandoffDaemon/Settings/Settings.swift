import DBus
import HandoffApps
import HandoffCore
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
    package private(set) var daemon: DaemonOptions
    /// The files that an earlier version of handoffd has read, in JSON5, and the next one does not read.
    package let earlierFiles: [String]
    package var transport: ChannelTransport { values.transport }
    package var logLevel: Logger.Level { values.logLevel }

    private var values: SettingValues { daemon.values }
    /// Whether the device has no name of its own.
    private let hasNameOfHost: Bool

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

        /// The texts that were given, by the keys of their settings.
        fileprivate var texts: [String: String] {
            let all = [
                "radio": radio, "adapter": adapter, "transport": transport, "bus": bus, "name": name,
                "logLevel": logLevel, "coverAdvertisement": covers ? "yes" : nil,
            ]
            return all.compactMapValues(\.self)
        }
    }

    /// Resolves the settings.
    ///
    /// - Throws: ``SettingsError`` that names the setting and its allowed values.
    package init(_ line: CommandLine, environment: [String: String], hostName: String) throws {
        let files = try SettingFiles(option: line.configuration, environment: environment)
        var values = try Self.values(line.texts, files)
        hasNameOfHost = values.name == nil
        values.name = values.name ?? Self.name(ofHost: hostName)
        earlierFiles = files.earlierFiles
        switch values.radio {
        case .bluez: radio = .bluez(adapter: values.adapter)
        case .simulated(let directory):
            for (option, text) in [("--adapter", line.adapter), ("--transport", line.transport)] where text != nil {
                throw SettingsError("\(option) can be used with --radio bluez only.")
            }
            radio = .simulated(directory: directory)
        }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        daemon = DaemonOptions(
            values,
            stateDirectory: try StateDirectory.path(option: line.stateDirectory, environment: environment),
            folders: try Self.folders(files, home: home),
            home: home,
            environment: environment
        )
    }

    /// Returns these settings on a host of another name; nil if that changes nothing.
    func renamed(toHost hostName: String) -> Settings? {
        let name = Self.name(ofHost: hostName)
        guard hasNameOfHost, daemon.name != name else { return nil }
        var settings = self
        settings.daemon.values.name = name
        return settings
    }

    private static func name(ofHost hostName: String) -> DeviceName { DeviceName(cleaning: hostName) ?? .linux }

    /// Reads each setting from the first place that has it.
    private static func values(_ line: [String: String], _ files: SettingFiles) throws -> SettingValues {
        var values = SettingValues()
        for setting in Setting.all {
            let written = files.texts[setting.key]
            let given = line[setting.key].map { SettingFiles.Text(text: $0, place: setting.option ?? setting.key) }
            guard let chosen = given ?? written else { continue }
            do {
                try setting.read(chosen.text, &values)
            } catch let remedy as Setting.Remedy {
                let found = chosen.text.isEmpty ? "is empty" : "is \"\(chosen.text)\""
                throw SettingsError("\(chosen.place) \(found); \(remedy.text)")
            } catch let error as ModelError {
                throw SettingsError("\(chosen.place): \(error.message)")
            }
        }
        return values
    }

    private static func folders(_ files: SettingFiles, home: String?) throws -> SyncedFolders {
        var folders = SyncedFolders()
        for (id, path) in files.folders.sorted(by: { $0.key < $1.key }) {
            do {
                let id = try FolderID(id)
                folders[id] = try SyncedFolder(id: id, path: path.text, home: home)
            } catch let error as ModelError {
                throw SettingsError("\(path.place): \(error.message)")
            } catch {
                throw SettingsError("\(path.place): \(error)")
            }
        }
        return folders
    }

    // MARK: Changes

    /// Returns the keys of the settings that differ from `other` and hold from a restart of the daemon on only, if
    /// `needsRestart`, or else can change while it runs.
    func differences(from other: Settings, needingRestart needsRestart: Bool) -> [String] {
        let keys = Setting.all.filter { setting in
            setting.needsRestart == needsRestart && !setting.isEqual(values, other.values)
        }
        .map(\.key)
        // With another radio, the adapter does not matter.
        .filter { $0 != "adapter" || (values.radio == .bluez && other.values.radio == .bluez) }
        let foldersDiffer = !needsRestart && daemon.folders != other.daemon.folders
        return (keys + (foldersDiffer ? [SettingFiles.folders] : [])).sorted()
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
