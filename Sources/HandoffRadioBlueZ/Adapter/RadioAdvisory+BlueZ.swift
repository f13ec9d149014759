import BlueZ
import HandoffRadio

extension RadioAdvisory {
    /// What a person should know about that adapter under that configuration.
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

    /// What is sent is sealed, but the address beside it is not (bluez src/main.conf, Privacy).
    private static let publicAddress = RadioAdvisory(
        name: "public-address",
        message: "advertisements carry the adapter's fixed address, by which this computer can be recognized anywhere; "
            + "set 'Privacy = device' under [General] in \(MainConfiguration.path) and restart bluetooth.service"
    )

    /// 1.28 s is the kernel's default (net/bluetooth/hci_core.c, le_adv_min_interval = 0x0800).
    private static let slowAdvertising = RadioAdvisory(
        name: "slow-advertising",
        message: "this version of BlueZ advertises only every 1.28 s, so others notice late; use BlueZ 5.77, or set "
            + "MinAdvertisementInterval=244 and MaxAdvertisementInterval=668 under [LE] in \(MainConfiguration.path)"
    )
}
