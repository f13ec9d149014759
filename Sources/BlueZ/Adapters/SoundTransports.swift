import DBus

/// The connections for sound that are in use (bluez doc/org.bluez.MediaTransport.rst).
///
/// Pure: properties in, answers out. At most ``maximum`` are remembered, so that no message on the bus can make it grow
/// without bound.
struct SoundTransports {
    /// More than all adapters of a machine have together: a headset has one or two.
    static let maximum = 64

    private var active: Set<ObjectPath> = []

    /// Whether sound is going over that adapter.
    func isPlaying(over adapter: ObjectPath) -> Bool {
        active.contains { $0.description.hasPrefix(adapter.description + "/") }
    }

    /// Takes the state of a transport; nil leaves what is known.
    mutating func update(_ transport: ObjectPath, _ properties: [String: Value]) {
        guard let state = properties["State"]?.string else { return }
        // "pending" is about to play; LE Audio also has "broadcasting".
        if ["active", "pending", "broadcasting"].contains(state) {
            if active.count < Self.maximum { active.insert(transport) }
        } else {
            active.remove(transport)
        }
    }

    mutating func remove(_ transport: ObjectPath) { active.remove(transport) }

    mutating func removeAll() { active = [] }
}
