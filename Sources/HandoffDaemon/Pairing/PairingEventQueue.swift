import AsyncSupport
import HandoffCore

/// The events of one pairing request, in the order in which they were reported.
///
/// What arrives on a channel waits outside while ``messagesPerChannel`` messages of that channel are not handled: however
/// fast other devices send, and however long a disk takes, they cannot push out or much delay the passing of time and the
/// answers of the user. Everything else is bounded by what reports it, and never waits.
final class PairingEventQueue: Sendable {
    /// How many messages of one channel are in the queue at most: more than a peer that keeps to the protocol sends
    /// without an answer.
    static let messagesPerChannel = 4

    /// The places of one channel in the queue.
    struct Places: Sendable {
        fileprivate let permits = CountingSemaphore(PairingEventQueue.messagesPerChannel)

        /// How many more messages of the channel the queue takes now.
        var free: Int { permits.availablePermits }
    }

    private struct Item: Sendable {
        let event: PairingMachine.Event
        /// Where the event came from; its place is free once the event was handled.
        let places: Places?
    }

    private let items: AsyncStream<Item>
    private let newItems: AsyncStream<Item>.Continuation

    init() {
        (items, newItems) = AsyncStream.makeStream()
    }

    /// Reports an event that is not a message.
    func report(_ event: PairingMachine.Event) {
        newItems.yield(Item(event: event, places: nil))
    }

    /// Reports a message that has arrived on a channel, once there is a place for it.
    ///
    /// - Throws: `CancellationError`.
    func report(_ message: PairingMachine.Event, in places: Places) async throws(CancellationError) {
        try await places.permits.acquire()
        newItems.yield(Item(event: message, places: places))
    }

    /// Passes the events to `handle` one after the other, until it returns false or the task is cancelled.
    func run(_ handle: (PairingMachine.Event) async -> Bool) async {
        for await item in items {
            defer { item.places?.permits.release() }
            guard await handle(item.event) else { return }
        }
    }
}
