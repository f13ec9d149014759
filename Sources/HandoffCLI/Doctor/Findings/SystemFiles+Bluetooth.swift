import Glibc

extension SystemFiles {
    /// The configuration of bluetoothd, in every distribution.
    static let bluetoothConfiguration = "/etc/bluetooth/main.conf"

    /// The number of ATT channels that bluetoothd opens to a device, as its configuration sets it; nil when it does not.
    var attChannels: Int? {
        setting("Channels", in: "GATT", of: Self.bluetoothConfiguration).flatMap { Int($0) }
    }

    /// Whether a Bluetooth adapter and a Wi-Fi device are parts of one USB device, or made by the same maker of such
    /// chips: the kernel does not tell whether two devices of a computer share a radio.
    func sharesRadio(adapter: String, interface: String) -> Bool {
        let bluetooth = "/sys/class/bluetooth/\(adapter)/device", wireless = "/sys/class/net/\(interface)/device"
        let usbVendor = line("\(bluetooth)/../idVendor")
        if usbVendor != nil, let device = resolved("\(bluetooth)/.."), device == resolved("\(wireless)/..") {
            return true
        }
        guard let vendor = line("\(wireless)/vendor") else { return false }
        let compatible = line("\(bluetooth)/of_node/compatible")
        return RadioMaker(usbVendor: usbVendor, compatible: compatible)?.hasMade(card: vendor) ?? false
    }

    /// Returns the value of a key in a file of sections, as bluetoothd reads it (GKeyFile); nil when there is none.
    private func setting(_ key: String, in section: String, of file: String) -> String? {
        guard let bytes = Self.bytes(of: root + file, upTo: 262_144) else { return nil }
        var isInside = false
        var value: String?
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let line = line.filter { !$0.isWhitespace }
            if line.hasPrefix("[") {
                isInside = line == "[\(section)]"
            } else if isInside, line.hasPrefix("\(key)=") {
                value = String(line.dropFirst(key.count + 1))
            }
        }
        return value
    }

    /// Returns the path of a file without links and dots; nil when there is none.
    private func resolved(_ path: String) -> String? {
        guard let resolved = realpath(root + path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
