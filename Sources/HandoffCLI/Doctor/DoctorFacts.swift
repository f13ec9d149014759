import BlueZ
import HandoffBus
import HandoffModel

/// What `handoffctl doctor` has read of this computer, without any judgement.
struct DoctorFacts: Sendable {
    /// The daemon, as far as it could be reached.
    enum Daemon: Sendable {
        case noBus(String)
        /// Nothing has its name; the bus knows how to start it, or does not.
        case absent(isStartable: Bool)
        /// It answers with an error.
        case failing(String)
        case running(Answers)
    }

    /// What a running daemon has told.
    struct Answers: Sendable {
        var status: DaemonStatus
        /// The trusted devices.
        var devices: [DeviceDescription]
        /// The devices with which a pairing is unconfirmed.
        var unconfirmed: [UnconfirmedDevice] = []
        var folderProblems: [String] = []
        /// What the person allows.
        var rules = RulesStatus([:])
        /// How many apps continue activities here.
        var appCount = 0
        /// The desktop files that cannot be used.
        var faultyFiles: [AppFileFault] = []
    }

    /// bluetoothd, as far as it could be reached.
    enum Bluetooth: Sendable {
        case noBus(String)
        /// It did not answer in time, or with an error.
        case silent(String)
        case absent
        case running([Adapter])
    }

    /// The result of trying something.
    enum Trial: Hashable, Sendable {
        case notTried
        case accepted
        case refused(String)
    }

    /// The user unit, as the user's systemd knows it.
    struct Unit: Hashable, Sendable {
        /// Such as `enabled`, `disabled`, `masked` or `not installed`.
        var fileState: String
        /// Such as `active` or `failed`.
        var activeState: String
        /// Such as `running` or `auto-restart`.
        var subState = ""
        /// Whether systemd did not start it because of a condition, as for accounts of the system, root included.
        var isExcluded = false

        /// Whether it has failed, or fails again and again.
        var hasFailed: Bool { activeState == "failed" || subState == "auto-restart" }
    }

    var toolVersion: String
    var daemon: Daemon
    var unit: Unit?
    var stateDirectory: SystemFiles.StateDirectory?
    var bluetooth: Bluetooth
    /// The version of bluetoothd, by its program; nil when that is unknown.
    var bluetoothVersion: BlueZRelease?
    /// The number of ATT channels that bluetoothd's configuration sets; nil when it sets none.
    var attChannels: Int?
    /// The kernel's name of the adapter that the daemon uses, or would use.
    var adapterName: String?
    var radioSwitches: [SystemFiles.RadioSwitch] = []
    /// Whether the adapter may be suspended while it is idle; nil when that is unknown.
    var isSuspendedWhenIdle: Bool?
    var advertisement: Trial = .notTried
    var discovery: Trial = .notTried
    /// Listening for LE credit-based channels.
    var channels: Trial = .notTried
    /// The Wi-Fi networks to which this computer is connected.
    var wireless: [WirelessNetwork] = []
    /// Whether the clock follows a time server; nil when that is unknown.
    var isClockSynchronized: Bool?
    /// The number of inotify instances that a user may have; nil when that is unknown.
    var inotifyInstances: Int?
    /// The browsers that the extension is for, as far as they are installed.
    var browsers: [BrowserFacts] = []
    var hasNotificationServer = false
    /// Whether notifications can have buttons; nil when no server runs that tells it.
    var notifiesWithButtons: Bool?
    /// Whether xdg-open is there.
    var opensWebpages = false
    /// Whether the desktop portal is there, which may refuse to open a page for the daemon.
    var hasPortal = false
    /// The desktop file id of the default browser; nil when there is none.
    var defaultBrowser: String?
    /// When the facts were read; nil when the clock cannot be read.
    var time: Timestamp?

    /// The adapter that the daemon uses, or would use.
    var adapter: Adapter? {
        guard case .running(let adapters) = bluetooth else { return nil }
        return adapters.first { $0.name == adapterName } ?? adapters.first
    }
}
