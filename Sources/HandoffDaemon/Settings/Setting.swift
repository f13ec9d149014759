import DBus
import HandoffModel
import HandoffRadio
import Logging

/// A setting: its name, what its text means, and when a change of it holds.
struct Setting: Sendable {
    /// Its name in the section `[handoffd]` of a file.
    let key: String
    /// The option of the command line that comes before the files; nil for none.
    let option: String?
    /// Whether a change holds from a restart of the daemon on only.
    let needsRestart: Bool
    /// Whether it is on or off.
    let isSwitch: Bool
    /// Sets the value that a text means.
    ///
    /// - Throws: ``Remedy``, or `ModelError`, for a text that means none.
    let read: @Sendable (String, inout SettingValues) throws -> Void
    /// Whether it is the same in both.
    let isEqual: @Sendable (SettingValues, SettingValues) -> Bool

    /// What a setting can be, in a sentence.
    struct Remedy: Error {
        let text: String
    }

    /// All settings, but for the folders, which have a section of their own.
    static let all = [
        Setting("radio", "--radio", \.radio, needsRestart: true, "it can be bluez or simulated:DIRECTORY.") {
            SettingValues.Radio($0)
        },
        Setting("adapter", "--adapter", optional: \.adapter, needsRestart: true, "adapters are hci0, hci1 and so on.") {
            $0.hasPrefix("hci") && UInt16($0.dropFirst(3)).map { "hci\($0)" } == $0 ? $0 : nil
        },
        Setting("transport", "--transport", \.transport, needsRestart: true, "it is automatic, both, l2cap or gatt.") {
            ChannelTransport(rawValue: $0)
        },
        Setting("bus", "--bus", \.bus, needsRestart: true, "it can be session, system or the address of a bus.") {
            $0.isEmpty ? nil : BusAddress(argument: $0)
        },
        Setting("name", "--name", optional: \.name, "it can be up to 64 characters.") { try DeviceName($0) },
        Setting("logLevel", "--log-level", \.logLevel, "it can be one of \(levels).") { Logger.Level(rawValue: $0) },
        Setting("staysWhenAway", \.staysWhenAway),
        Setting("notifies", \.notifies),
        Setting("coverAdvertisement", \.coversAdvertisement),
        Setting("localNetwork", \.usesLocalNetwork),
    ]

    private static var levels: String { Logger.Level.allCases.map(\.rawValue).joined(separator: ", ") }

    private init<Value: Equatable & Sendable>(
        _ key: String,
        _ option: String? = nil,
        _ place: any WritableKeyPath<SettingValues, Value> & Sendable,
        needsRestart: Bool = false,
        _ remedy: String,
        _ value: @escaping @Sendable (String) throws -> Value?
    ) {
        (self.key, self.option, self.needsRestart, isSwitch) = (key, option, needsRestart, Value.self == Bool.self)
        read = { text, values in
            guard let value = try value(text) else { throw Remedy(text: remedy) }
            values[keyPath: place] = value
        }
        isEqual = { $0[keyPath: place] == $1[keyPath: place] }
    }

    /// The same for a value that is nil unless it is set.
    private init<Value: Equatable & Sendable>(
        _ key: String,
        _ option: String? = nil,
        optional place: any WritableKeyPath<SettingValues, Value?> & Sendable,
        needsRestart: Bool = false,
        _ remedy: String,
        _ value: @escaping @Sendable (String) throws -> Value?
    ) {
        (self.key, self.option, self.needsRestart, isSwitch) = (key, option, needsRestart, Value.self == Bool.self)
        read = { text, values in
            guard let value = try value(text) else { throw Remedy(text: remedy) }
            values[keyPath: place] = value
        }
        isEqual = { $0[keyPath: place] == $1[keyPath: place] }
    }

    /// A switch.
    private init(_ key: String, _ place: any WritableKeyPath<SettingValues, Bool> & Sendable) {
        self.init(key, nil, place, "it can be yes or no.") { text in
            switch text.lowercased() {
            case "yes", "true", "on", "1": true
            case "no", "false", "off", "0": false
            default: nil
            }
        }
    }
}

/// The values of all settings.
struct SettingValues: Sendable {
    /// The kind of radio.
    enum Radio: Hashable, Sendable {
        case bluez
        case simulated(directory: String)

        /// Reads `bluez` or `simulated:DIRECTORY`; nil for another text.
        init?(_ text: String) {
            let prefix = "simulated:"
            if text == "bluez" {
                self = .bluez
            } else if text.hasPrefix(prefix), text.count > prefix.count {
                self = .simulated(directory: String(text.dropFirst(prefix.count)))
            } else {
                return nil
            }
        }
    }

    var radio = Radio.bluez
    /// The Bluetooth adapter; nil for the first usable one.
    var adapter: String?
    var transport = ChannelTransport.automatic
    var bus = BusAddress.session
    /// Nil for the host's name.
    var name: DeviceName?
    var logLevel = Logger.Level.info
    /// Whether activities stay advertised while the user's session is locked or idle.
    var staysWhenAway = false
    /// Whether the desktop shows a notification when an activity that can be continued appears nearby.
    var notifies = true
    /// Whether a cover advertisement is broadcast while there is nothing to continue.
    var coversAdvertisement = false
    /// Whether streams may move from the radio to the local network.
    var usesLocalNetwork = true
}

extension Engine {
    /// Applies the settings that can change while the daemon runs, when it starts and whenever they are read again.
    ///
    /// The name, which is written to disk, the folders and the level of the log are not among them.
    func apply(_ values: SettingValues) {
        activities.setStaysWhenAway(values.staysWhenAway)
        activities.cover(values.coversAdvertisement)
        desktop.setNotifies(values.notifies)
        sessions.setUsesLocalNetwork(values.usesLocalNetwork)
    }
}
