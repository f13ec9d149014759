/// A maker of chips that have both Bluetooth and Wi-Fi, by its numbers on the buses of a computer.
struct RadioMaker: Sendable {
    /// Its part in the `compatible` names of device trees.
    private let tree: String
    /// USB (usb.ids).
    private let usb: Set<String>
    /// PCI (pci.ids), and SDIO (Linux include/linux/mmc/sdio_ids.h).
    private let cards: Set<String>

    private static let all = [
        RadioMaker(tree: "intel,", usb: ["8087"], cards: ["8086"]),
        RadioMaker(tree: "realtek,", usb: ["0bda"], cards: ["10ec", "024c"]),
        RadioMaker(tree: "mediatek,", usb: ["0e8d"], cards: ["14c3", "037a"]),
        RadioMaker(tree: "qcom,", usb: ["0cf3"], cards: ["168c", "17cb", "0271"]),
        RadioMaker(tree: "brcm,", usb: ["0a5c"], cards: ["14e4", "02d0"]),
    ]

    /// Finds the maker of a Bluetooth adapter; nil when it is unknown, or builds such chips into devices of others.
    ///
    /// - Parameters:
    ///   - usbVendor: four hexadecimal digits; nil for an adapter that is no USB device.
    ///   - compatible: the names of the device tree; nil without one.
    init?(usbVendor: String?, compatible: String?) {
        let found = Self.all.first { maker in
            usbVendor.map(maker.usb.contains) ?? compatible?.hasPrefix(maker.tree) ?? false
        }
        guard let found else { return nil }
        self = found
    }

    private init(tree: String, usb: Set<String>, cards: Set<String>) {
        self.tree = tree
        self.usb = usb
        self.cards = cards
    }

    /// Whether it has made a Wi-Fi device, by the number of its vendor on PCI or SDIO, such as `0x8086`.
    func hasMade(card vendor: String) -> Bool { cards.contains(vendor.lowercased().replacing("0x", with: "")) }
}
