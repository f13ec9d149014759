/// How much the clients have in their activities, and how much they may have: each of them, and all together.
///
/// What counts is the encoded size of whole activities, or ``bytesPerValue`` for each value of D-Bus that userInfo takes if
/// that is more: in memory, and in messages of the bus, many small values take more than they do over the radio.
package struct ActivityQuota<Owner: Hashable & Sendable>: Sendable {
    /// Some activities: their number and their encoded size.
    private struct Amount: Hashable {
        var count = 0
        var bytes = 0

        mutating func add(_ size: Int) {
            count += 1
            bytes += size
        }

        mutating func remove(_ size: Int) {
            count -= 1
            bytes -= size
        }
    }

    /// What a value of D-Bus counts at least.
    ///
    /// So userInfo of all activities together has 524,288 of them at most: a list of all objects is one message, which may
    /// have 1,048,576, and the rest of an activity has some thirty.
    package static var bytesPerValue: Int { 8 }
    /// The largest number of activities that one client may have at a time.
    package static var maximumPerOwner: Int { 256 }
    /// The largest number of activities of all clients: many more than all apps of a desktop have.
    package static var maximumCount: Int { 2048 }
    /// The most bytes of the activities of one client: so many of the advised size that their number is the limit, and
    /// sixteen of the largest.
    package static var maximumBytesPerOwner: Int { 1024 * 1024 }
    /// The most bytes of the activities of all clients.
    package static var maximumBytes: Int { 4 * 1024 * 1024 }

    private var owned: [Owner: Amount] = [:]
    private var all = Amount()

    init() {}

    /// Counts another activity.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` and the limit that it exceeds; then nothing has changed.
    mutating func add(_ size: Int, of owner: Owner) throws(HandoffError) {
        try check(owned[owner, default: Amount()], replacing: nil, by: size)
        owned[owner, default: Amount()].add(size)
        all.add(size)
    }

    /// Counts an activity of another size than before; one that becomes smaller always may.
    ///
    /// - Throws: as ``add(_:of:)``.
    mutating func replace(_ old: Int, by size: Int, of owner: Owner) throws(HandoffError) {
        if size > old { try check(owned[owner, default: Amount()], replacing: old, by: size) }
        remove(old, of: owner)
        owned[owner, default: Amount()].add(size)
        all.add(size)
    }

    /// Counts an activity no more.
    mutating func remove(_ size: Int, of owner: Owner) {
        owned[owner]?.remove(size)
        if owned[owner] == Amount() { owned[owner] = nil }
        all.remove(size)
    }

    private func check(_ own: Amount, replacing old: Int?, by size: Int) throws(HandoffError) {
        let (more, growth) = (old == nil ? 1 : 0, size - (old ?? 0))
        guard own.count + more <= Self.maximumPerOwner else {
            throw Self.error(
                "This client has \(Self.maximumPerOwner) activities already; invalidate those it no longer needs."
            )
        }
        guard own.bytes + growth <= Self.maximumBytesPerOwner else {
            throw Self.error(
                "The activities of this client may have \(Self.maximumBytesPerOwner / 1024) KiB together: make them smaller, or "
                    + "invalidate those it no longer needs."
            )
        }
        guard all.count + more <= Self.maximumCount else {
            throw Self.error(
                "The programs of this computer have \(Self.maximumCount) activities already: end those that create so many."
            )
        }
        guard all.bytes + growth <= Self.maximumBytes else {
            throw Self.error(
                "The activities of all programs may have \(Self.maximumBytes / 1024) KiB together: make this one smaller, or end "
                    + "the programs that have so many."
            )
        }
    }

    private static func error(_ message: String) -> HandoffError { HandoffError(.limitReached, message) }
}
