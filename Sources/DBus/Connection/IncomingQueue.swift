import DequeModule

/// The calls that have arrived and were not handled, in turns: a sender of many calls delays its own, not those of others.
///
/// The messages of one sender stay in order.
struct IncomingQueue {
    /// A message that waits.
    final class Item {
        private let message: Message

        fileprivate init(_ message: consuming Message) {
            self.message = message
        }

        /// Runs `body` with the message.
        func withMessage(_ body: (borrowing Message) -> Void) {
            body(message)
        }
    }

    /// How many messages of one sender wait at most: far more than a program sends that waits for its answers.
    static let maximumPerSender = 1024
    /// How many messages of one sender are handled before it is the turn of the next one.
    static let messagesPerTurn = 16

    private var messages: [BusName: Deque<Item>] = [:]
    /// The senders of `messages`, in the order of their turns.
    private var turns: Deque<BusName> = []
    /// The senders whose messages get no turn for the present.
    private var held: Set<BusName> = []

    /// Whether no message has a turn.
    var isEmpty: Bool { turns.isEmpty }

    /// Whether any message waits, also one that has no turn for the present.
    var hasMessages: Bool { !messages.isEmpty }

    /// Whether a message of that sender waits.
    func contains(_ sender: BusName) -> Bool { messages[sender] != nil }

    /// Whether no more messages of that sender may wait.
    func isFull(for sender: BusName) -> Bool { messages[sender, default: []].count >= Self.maximumPerSender }

    /// Adds a message behind all others of its sender.
    mutating func append(_ message: consuming Message, of sender: BusName) {
        if messages[sender] == nil, !held.contains(sender) { turns.append(sender) }
        messages[sender, default: []].append(Item(message))
    }

    /// Lets the messages of a sender wait, until ``release(_:)``.
    mutating func hold(_ sender: BusName) {
        held.insert(sender)
        turns.removeAll { $0 == sender }
    }

    /// Gives the messages of a sender turns again.
    mutating func release(_ sender: BusName) {
        guard held.remove(sender) != nil, messages[sender] != nil else { return }
        turns.append(sender)
    }

    /// Returns the sender whose turn it is; nil when the queue is empty.
    mutating func beginTurn() -> BusName? { turns.popFirst() }

    /// Removes and returns the next message of a sender; nil when there is none, or when they have to wait.
    mutating func next(of sender: BusName) -> Item? { held.contains(sender) ? nil : messages[sender]?.popFirst() }

    /// Ends the turn of a sender, which has another one after all others if it has more messages.
    mutating func endTurn(of sender: BusName) {
        turns.removeAll { $0 == sender }
        if messages[sender]?.isEmpty == true { messages[sender] = nil }
        if messages[sender] != nil, !held.contains(sender) { turns.append(sender) }
    }
}
