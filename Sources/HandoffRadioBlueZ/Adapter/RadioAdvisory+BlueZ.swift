import BlueZ
import HandoffRadio

extension RadioAdvisory {
    /// Returns the advisories for that adapter under that configuration.
    static func all(for adapter: Adapter, _ configuration: MainConfiguration) -> [RadioAdvisory] {
        var advisories: [RadioAdvisory] = []
        if !configuration.usesPrivateAddress {
            advisories.append(publicAddress)
        }
        if !AdapterAlias(adapter.alias).isNeutral {
            advisories.append(deviceName)
        }
        if adapter.advertising?.honorsInterval == false, !configuration.setsInterval {
            advisories.append(slowAdvertising)
        }
        if adapter.isDiscoveringForOthers {
            advisories.append(otherScan)
        }
        return advisories
    }

    /// The data of advertisements is sealed, but their address is not protected (bluez src/main.conf, Privacy).
    private static let publicAddress = RadioAdvisory(
        name: "public-address",
        message: "advertisements carry the adapter's fixed address, by which this computer can be recognized anywhere; "
            + "set 'Privacy = device' under [General] in \(MainConfiguration.path) and restart bluetooth.service"
    )

    /// bluetoothd gives its alias to every central, without encryption (bluez src/gatt-database.c,
    /// gap_device_name_read_cb).
    ///
    /// An alias that was set counts before the name of the host, which the plug-in `hostname`
    /// sets (src/adapter.c, btd_adapter_get_name); the `Name` of main.conf does not.
    private static let deviceName = RadioAdvisory(
        name: "device-name",
        message:
            "any device that connects can read this computer's Bluetooth name, which may name you or the computer; "
            + "set a neutral one with 'bluetoothctl system-alias Computer'"
    )

    /// bluetoothd does not tell which program it is (bluez src/adapter.c keeps its clients to itself).
    private static let otherScan = RadioAdvisory(
        name: "other-scan",
        message:
            "another program scans all the time, which costs power and slows Bluetooth down; close Bluetooth settings "
            + "and scanners, or find it in the output of 'sudo dbus-monitor --system interface=org.bluez.Adapter1'"
    )

    /// 1.28 s is the kernel's default (net/bluetooth/hci_core.c, le_adv_min_interval = 0x0800).
    private static let slowAdvertising = RadioAdvisory(
        name: "slow-advertising",
        message: "this version of BlueZ advertises only every 1.28 s, so discovery is slow; use BlueZ 5.77, or set "
            + "MinAdvertisementInterval=244 and MaxAdvertisementInterval=668 under [LE] in \(MainConfiguration.path)"
    )
}
