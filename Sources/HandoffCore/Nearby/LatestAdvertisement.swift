import HandoffModel

/// The latest advertisement of one device, by which replays of earlier ones are told.
///
/// A device numbers what it shows, and whatever it shows next has a greater number. What has a lower one was recorded by
/// somebody, or the device's clock was set back: then it is accepted when the device was not heard for
/// ``NearbyTable/timeout``, after which nothing is left that a replay could displace.
struct LatestAdvertisement: Hashable, Sendable {
    private(set) var number: AdvertisementNumber
    /// The hash of the type of what is shown; nil for nothing.
    private(set) var typeHash: ActivityTypeHash?
    /// When it was heard last, as `uptime`.
    private(set) var lastHeard: Duration

    /// Makes the first one that was heard of a device.
    init(_ number: AdvertisementNumber, _ typeHash: ActivityTypeHash?, at uptime: Duration) {
        (self.number, self.typeHash, lastHeard) = (number, typeHash, uptime)
    }

    /// Records an advertisement, and returns whether it is accepted as the device's own.
    mutating func accepts(_ number: AdvertisementNumber, _ typeHash: ActivityTypeHash?, at uptime: Duration) -> Bool {
        let isSame = number == self.number && typeHash == self.typeHash
        guard isSame || number > self.number || uptime - lastHeard >= NearbyTable.timeout else { return false }
        self = LatestAdvertisement(number, typeHash, at: uptime)
        return true
    }

    /// Records that the device itself has answered that it does not show this any more.
    mutating func end(at uptime: Duration) {
        (typeHash, lastHeard) = (nil, uptime)
    }
}
