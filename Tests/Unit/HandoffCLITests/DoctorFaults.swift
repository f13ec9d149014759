import BlueZ
import DBus
import Testing

@testable import HandoffBus
@testable import HandoffCLI
import HandoffModel

/// A fault of a computer, and the finding that it leads to.
struct Fault: CustomTestStringConvertible, Sendable {
    let check: String
    var grade = Finding.Grade.fault
    /// A part of the cure; nil when there is none.
    var cure: String?
    let make: @Sendable (inout DoctorFacts) -> Void

    var testDescription: String { "\(check) \(grade.rawValue)" }

    static let all = daemon + state + bluetooth + desktop

    private static let daemon = [
        Fault(check: "bus", cure: "dbus-user-session") { $0.daemon = .noBus("no socket") },
        Fault(check: "daemon", cure: "systemctl --user start") { $0.daemon = .absent(isStartable: false) },
        Fault(check: "daemon", cure: "handoffctl status") { $0.daemon = .absent(isStartable: true) },
        Fault(check: "daemon", cure: "journalctl --user") {
            $0.daemon = .absent(isStartable: true)
            $0.unit?.activeState = "failed"
        },
        Fault(check: "daemon", cure: "journalctl --user") {
            $0.daemon = .absent(isStartable: true)
            $0.unit?.activeState = "activating"
            $0.unit?.subState = "auto-restart"
        },
        Fault(check: "daemon", cure: "unmask") {
            $0.daemon = .absent(isStartable: true)
            $0.unit?.fileState = "masked"
        },
        Fault(check: "daemon", cure: "install the package") {
            $0.daemon = .absent(isStartable: false)
            $0.unit?.fileState = "not installed"
        },
        Fault(check: "daemon", cure: "handoffd --foreground") {
            $0.daemon = .absent(isStartable: false)
            $0.unit = nil
        },
        Fault(check: "daemon", cure: "restart") { $0.daemon = .failing("no memory") },
        Fault(check: "version", cure: "restart") { $0.toolVersion = "0.0.1" },
        Fault(check: "trust", grade: .advice, cure: "handoffctl pair") {
            $0.answers { $0.devices = [] }
        },
        Fault(check: "unconfirmed", grade: .advice, cure: "handoffctl pair") {
            $0.answers { $0.unconfirmed = [UnconfirmedDevice(id: "fedcba9876543210", name: "Tablet")] }
        },
        Fault(check: "unconfirmed", grade: .advice, cure: "near each other") {
            $0.answers {
                $0.devices = []
                $0.unconfirmed = [UnconfirmedDevice(id: "fedcba9876543210", name: "Tablet")]
            }
        },
        Fault(check: "unheard", grade: .advice, cure: "on Desktop") {
            $0.answers { $0.devices = [.sample("Desktop", lastSeen: 0)] }
        },
        Fault(check: "unheard", grade: .advice, cure: "handoffctl doctor") {
            $0.time = Timestamp(microseconds: 1_795_086_400_000_000)!
        },
        Fault(check: "paused", grade: .advice, cure: "handoffctl resume") {
            $0.answers { $0.rules = RulesStatus(["Paused": .boolean(true)]) }
        },
        Fault(check: "receive-only", grade: .advice, cure: "receive-only off") {
            $0.answers { $0.rules = RulesStatus(["ReceiveOnly": .boolean(true)]) }
        },
        Fault(check: "withheld-by-rule", grade: .advice, cure: "handoffctl rules") {
            $0.answers {
                $0.rules = RulesStatus(["Withheld": .dictionaries([["Message": .string("A rule denies it.")]])])
            }
        },
        Fault(check: "not-advertising", cure: "restart bluetooth") {
            $0.daemon = .running(.healthy(.sample(advisories: [["not-advertising", "The kernel refuses it."]])))
        },
        Fault(check: "scanning", grade: .advice, cure: "handoffctl nearby") {
            $0.daemon = .running(.healthy(.sample(scanning: "away")))
        },
        Fault(check: "public-address", grade: .advice, cure: "main.conf") {
            $0.daemon = .running(.healthy(.sample(advisories: [["public-address", "Set 'Privacy = device'."]])))
        },
        Fault(check: "unit", grade: .advice, cure: "enable") { $0.unit?.fileState = "disabled" },
        Fault(check: "unit", grade: .advice, cure: "unmask") { $0.unit?.fileState = "masked-runtime" },
        Fault(check: "unit", grade: .advice, cure: "install the package") { $0.unit?.fileState = "not installed" },
        Fault(check: "unit", grade: .advice) { $0.unit = nil },
    ]

    private static let state = [
        Fault(check: "state-owner", cure: "chown") { $0.stateDirectory?.belongsToUser = false },
        Fault(check: "state-mode", cure: "chmod") { $0.stateDirectory?.mode = 0o755 },
    ]

    private static let bluetooth = [
        Fault(check: "system-bus", cure: "dbus") { $0.bluetooth = .noBus("no socket") },
        Fault(check: "bluetoothd", cure: "restart") { $0.bluetooth = .silent("no answer") },
        Fault(check: "bluetoothd", cure: "apt install bluez") { $0.bluetooth = .absent },
        Fault(check: "adapter", cure: "btusb") { $0.bluetooth = .running([]) },
        Fault(check: "switch", cure: "switch or key") {
            $0.bluetooth = .running([])
            $0.radioSwitches = [.init(name: "rfkill0", isSoftBlocked: false, isHardBlocked: true)]
        },
        Fault(check: "switch", cure: "rfkill unblock") { $0.bluetooth = .running([.sample(power: .blocked)]) },
        Fault(check: "power", cure: "bluetoothctl power on") { $0.bluetooth = .running([.sample(power: .off)]) },
        Fault(check: "roles", cure: "another adapter") { $0.bluetooth = .running([.sample(roles: ["central"])]) },
        Fault(check: "advertisement", cure: "programs that advertise") {
            $0.bluetooth = .running([.sample(freeAdvertisements: 0)])
            $0.advertisement = .refused("no instance")
        },
        Fault(check: "advertisement", cure: "update bluez") { $0.advertisement = .refused("invalid parameters") },
        Fault(check: "scan", cure: "restart") { $0.discovery = .refused("busy") },
        Fault(check: "bluetoothd-version", cure: "update bluez") { $0.bluetoothVersion = BlueZRelease(5, 65) },
        // Its default is three channels, as is a setting of any version.
        Fault(check: "att-channels", grade: .advice, cure: "Channels = 1 under [GATT]") {
            $0.bluetoothVersion = BlueZRelease(5, 66)
        },
        Fault(check: "att-channels", grade: .advice, cure: "/etc/bluetooth/main.conf; sudo systemctl restart") {
            $0.attChannels = 3
        },
        Fault(check: "channels", grade: .advice, cure: "restart handoffd") {
            $0.channels = .refused("This kernel does not support LE channels.")
        },
        Fault(check: "wifi", grade: .advice, cure: "5 GHz") {
            $0.wireless = [
                WirelessNetwork(interface: "wlan0", frequency: 2437, sharesRadio: true),
                WirelessNetwork(interface: "wlan1", frequency: 5180, sharesRadio: true),
                WirelessNetwork(interface: "wlan2", frequency: 2437, sharesRadio: false),
            ]
        },
        Fault(check: "autosuspend", grade: .advice, cure: "power/control") { $0.isSuspendedWhenIdle = true },
        Fault(check: "sound", grade: .advice, cure: "handoffctl nearby") {
            $0.bluetooth = .running([.sample(isPlayingAudio: true)])
        },
    ]

    private static let desktop = [
        Fault(check: "clock", grade: .advice, cure: "timedatectl") { $0.isClockSynchronized = false },
        Fault(check: "inotify", grade: .advice, cure: "sysctl") { $0.inotifyInstances = 64 },
        Fault(check: "notifications", grade: .advice, cure: "dunst") { $0.hasNotificationServer = false },
        Fault(check: "notifications", grade: .advice, cure: "handoffctl continue") { $0.notifiesWithButtons = false },
        Fault(check: "browser", grade: .advice, cure: "xdg-utils") { $0.opensWebpages = false },
        Fault(check: "browser", grade: .advice, cure: "xdg-utils") {
            $0.opensWebpages = false
            $0.hasPortal = true
        },
        Fault(check: "browser", grade: .advice, cure: "xdg-settings") { $0.defaultBrowser = nil },
        Fault(check: "app-file", cure: "apps --check") {
            $0.answers { $0.faultyFiles = [AppFileFault(file: "/a.desktop", message: "the key Exec is missing")] }
        },
        Fault(check: "folder", cure: "handoffctl folders") {
            $0.answers { $0.folderProblems = ["The folder docs is gone."] }
        },
    ]
}
