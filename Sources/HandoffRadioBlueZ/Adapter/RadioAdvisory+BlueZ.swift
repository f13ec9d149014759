import BlueZ
import HandoffRadio

extension RadioAdvisory {
    /// Returns the advisories for that adapter under that configuration.
    static func all(for adapter: Adapter, _ configuration: MainConfiguration) -> [RadioAdvisory] {
        var advisories: [RadioAdvisory] = []
        if !configuration.usesPrivateAddress {
            advisories.append(publicAddress)
        }
        if adapter.advertising?.honorsInterval == false, !configuration.setsInterval {
            advisories.append(slowAdvertising)
        }
        return advisories
    }

    /// The data of advertisements is sealed, but their address is not protected (bluez src/main.conf, Privacy).
    private static let publicAddress = RadioAdvisory(
        name: "public-address",
        message: "advertisements carry the adapter's fixed address, by which this computer can be recognized anywhere; "
            + "set 'Privacy = device' under [General] in \(MainConfiguration.path) and restart bluetooth.service"
    )

    /// 1.28 s is the kernel's default (net/bluetooth/hci_core.c, le_adv_min_interval = 0x0800).
    private static let slowAdvertising = RadioAdvisory(
        name: "slow-advertising",
        message: "this version of BlueZ advertises only every 1.28 s, so discovery is slow; use BlueZ 5.77, or set "
            + "MinAdvertisementInterval=244 and MaxAdvertisementInterval=668 under [LE] in \(MainConfiguration.path)"
    )
}
