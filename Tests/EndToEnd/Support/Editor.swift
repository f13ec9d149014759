import DBus
import HandoffBus

/// An app on the bus that is called when another device fetches or continues its activity.
struct Editor: ActivityDelegate {
    static let path: ObjectPath = "/org/example/Editor"

    /// The calls that the app received: `WillSave`, `WasContinued DEVICE-ID NAME`, `DidFailToContinue DEVICE-ID NAME
    /// ERROR`.
    let events: AsyncStream<String>
    private let newEvents: AsyncStream<String>.Continuation
    /// The streams that other devices have opened, in that order.
    let streams: AsyncStream<UnixFD>
    private let newStreams: AsyncStream<UnixFD>.Continuation
    private let save: @Sendable (ObjectPath) async throws -> Void

    /// - Parameter save: what the app does on a save request.
    init(save: @escaping @Sendable (ObjectPath) async throws -> Void) {
        self.save = save
        (events, newEvents) = AsyncStream.makeStream()
        (streams, newStreams) = AsyncStream.makeStream()
    }

    /// Publishes an activity that is current and has unsaved changes, with this app as its delegate.
    func open(_ type: String, _ properties: [String: Value] = [:], over client: HandoffClient) async throws
        -> ObjectPath
    {
        client.connection.objects.insert([.activityDelegate(self)], at: Self.path)
        let own: [String: Value] = ["Delegate": .objectPath(Self.path), "NeedsSave": .boolean(true)]
        let activity = try await client.create(type, properties.merging(own) { _, new in new })
        try await client.becomeCurrent(activity)
        return activity
    }

    func willSave(_ activity: ObjectPath) async throws {
        newEvents.yield("WillSave")
        try await save(activity)
    }

    func wasContinued(_ activity: ObjectPath, by device: ObjectPath, named name: String) {
        newEvents.yield("WasContinued \(device.lastElement) \(name)")
    }

    func didFailToContinue(
        _ activity: ObjectPath,
        on device: ObjectPath,
        named name: String,
        _ error: String,
        _ message: String
    ) {
        newEvents.yield("DidFailToContinue \(device.lastElement) \(name) \(error)")
    }

    func didReceiveStream(_ stream: UnixFD, of activity: ObjectPath, from device: ObjectPath, named name: String) {
        newStreams.yield(stream)
    }

    /// The next `count` events.
    func next(_ count: Int) async -> [String] {
        var found: [String] = []
        guard count > 0 else { return found }
        for await event in events {
            found.append(event)
            if found.count == count { break }
        }
        return found
    }
}
