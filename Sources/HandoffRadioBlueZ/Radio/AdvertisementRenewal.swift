import DBus

/// Decides when the advertisement has to be registered again: when a link ends that was there before it was registered.
struct AdvertisementRenewal {
    /// More links than any controller has.
    private static let maximumLinks = 64

    /// The devices whose links have begun since the last registration: after these, the kernel goes on by itself.
    private var begun: Set<ObjectPath> = []
    private var renewals: AsyncStream<Void>.Continuation?

    /// Begins with a new advertisement; returns the stream that has an element whenever it has to be registered again.
    mutating func begin() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        renewals = continuation
        return stream
    }

    /// Records that the advertisement is registered: all links that are known by now are older.
    mutating func registered() { begun = [] }

    /// Records that the link of a device has begun or ended.
    mutating func apply(_ device: ObjectPath, isUp: Bool) {
        if isUp {
            if begun.count < Self.maximumLinks { begun.insert(device) }
        } else if begun.remove(device) == nil {
            // All links that are up now are older than the next registration.
            begun = []
            renewals?.yield()
        }
    }
}
