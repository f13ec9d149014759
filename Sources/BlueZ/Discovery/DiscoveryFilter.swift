import DBus

/// The filter that behaves alike in every BlueZ from 5.66 on.
enum DiscoveryFilter {
    /// The argument of SetDiscoveryFilter.
    ///
    /// - `Transport` "le": not to page BR/EDR devices.
    /// - `Pattern` "": matches every device, and keeps a pattern of some other program from hiding them, and devices
    ///   without the discoverable flag from being ignored (bluez src/adapter.c, device_is_discoverable).
    /// - `DuplicateData`: every packet is reported. Not before 5.71: until commit ad089d299, booleans of the filter
    ///   were written over what lies beside them in memory.
    /// - never `UUIDs`: they do not look at service data, and crash bluetoothd 5.87 (fixed by commit 82af2beaf).
    static func arguments(for release: BlueZRelease) -> [String: Value] {
        var filter: [String: Value] = ["Transport": .string("le"), "Pattern": .string("")]
        if release >= BlueZRelease(5, 71) {
            filter["DuplicateData"] = .boolean(true)
        }
        return filter
    }
}
