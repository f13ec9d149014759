import DBus

/// The discovery filter that behaves the same in every BlueZ from 5.66 on.
enum DiscoveryFilter {
    /// Returns the argument of SetDiscoveryFilter.
    ///
    /// - `Transport` "le": not to page BR/EDR devices.
    /// - `Pattern` "": matches every device, prevents a pattern of another program from hiding devices, and prevents
    ///   devices without the discoverable flag from being ignored (bluez src/adapter.c, device_is_discoverable).
    /// - `DuplicateData`: every packet is reported. Not used before 5.71: until commit ad089d299, booleans of the
    ///   filter overwrite adjacent memory.
    /// - Never `UUIDs`: they do not match service data, and crash bluetoothd 5.87 (fixed by commit 82af2beaf).
    static func arguments(for release: BlueZRelease) -> [String: Value] {
        var filter: [String: Value] = ["Transport": .string("le"), "Pattern": .string("")]
        if release >= BlueZRelease(5, 71) {
            filter["DuplicateData"] = .boolean(true)
        }
        return filter
    }
}
