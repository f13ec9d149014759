import Synchronization

/// Delivers every signal to the subscriptions whose rules match, and tracks the owners of followed names.
///
/// Updated by the loop's thread and used by subscribing tasks; protected by a lock.
final class SignalRouter: Sendable {
    struct Subscription: Sendable {
        let rule: MatchRule
        let limit: Int
        let continuation: AsyncThrowingStream<Signal, any Error>.Continuation
    }

    struct FollowedName {
        var owner: BusName?
        var isKnown = false
        var followers = 0
        var listeners: [UInt64: AsyncStream<BusName?>.Continuation] = [:]
    }

    fileprivate struct State {
        var nextID: UInt64 = 0
        var subscriptions: [UInt64: Subscription] = [:]
        var names: [BusName: FollowedName] = [:]
        var ending: DBusError?
    }

    private let state = Mutex(State())

    // MARK: Subscribing

    /// Starts buffering the signals that match `rule`, at most `limit` at a time.
    func subscribe(_ rule: MatchRule, limit: Int) -> (id: UInt64, signals: SignalSequence) {
        let (stream, continuation) = AsyncThrowingStream<Signal, any Error>
            .makeStream(bufferingPolicy: .bufferingOldest(limit))
        let id = state.withLock { state in
            state.nextID += 1
            state.subscriptions[state.nextID] = Subscription(rule: rule, limit: limit, continuation: continuation)
            if let ending = state.ending { continuation.finish(throwing: ending) }
            return state.nextID
        }
        return (id, SignalSequence(stream: stream))
    }

    func unsubscribe(_ id: UInt64) {
        let subscription = state.withLock { $0.subscriptions.removeValue(forKey: id) }
        subscription?.continuation.finish()
    }

    // MARK: Following the owner of a name

    /// Starts following `name`; its owner is known when `setOwner` has been called.
    func follow(_ name: BusName) {
        state.withLock { $0.names[name, default: FollowedName()].followers += 1 }
    }

    func unfollow(_ name: BusName) {
        let listeners = state.withLock { state -> [AsyncStream<BusName?>.Continuation] in
            guard var followed = state.names[name] else { return [] }
            followed.followers -= 1
            state.names[name] = followed.followers > 0 ? followed : nil
            return followed.followers > 0 ? [] : Array(followed.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// Sets the current owner of `name`.
    ///
    /// Called on the loop's thread, in the order of the bus's messages.
    func setOwner(_ owner: BusName?, of name: BusName) {
        state.withLock { state in
            guard var followed = state.names[name] else { return }
            if !followed.isKnown || followed.owner != owner {
                for listener in followed.listeners.values { listener.yield(owner) }
            }
            followed.owner = owner
            followed.isKnown = true
            state.names[name] = followed
        }
    }

    /// Returns the owners of a followed name, beginning with the current one; only the newest unread one is kept.
    func owners(of name: BusName) -> (id: UInt64, owners: AsyncStream<BusName?>) {
        let (stream, continuation) = AsyncStream<BusName?>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextID += 1
            if let followed = state.names[name], followed.isKnown { continuation.yield(followed.owner) }
            state.names[name]?.listeners[state.nextID] = continuation
            if state.ending != nil { continuation.finish() }
            return state.nextID
        }
        return (id, stream)
    }

    func forget(_ id: UInt64, of name: BusName) {
        let listener = state.withLock { $0.names[name]?.listeners.removeValue(forKey: id) }
        listener?.finish()
    }

    // MARK: On the loop's thread

    /// Delivers a signal.
    ///
    /// `arguments` is called at most once, and only if a rule matches the header.
    func deliver(_ header: SignalHeader, destination: BusName?, _ arguments: () throws(DBusError) -> [Value]) {
        let fitting = state.withLock { state in
            state.subscriptions.filter { $0.value.rule.matches(header, owner: state.owner(of: $0.value.rule.sender)) }
        }
        guard !fitting.isEmpty, let arguments = try? arguments() else { return }
        let signal = Signal(
            sender: header.sender,
            path: header.path,
            interface: header.interface,
            member: header.member,
            arguments: arguments,
            destination: destination
        )
        for (id, subscription) in fitting where subscription.rule.matches(arguments) {
            guard case .dropped = subscription.continuation.yield(signal) else { continue }
            overflow(id, subscription)
        }
    }

    private func overflow(_ id: UInt64, _ subscription: Subscription) {
        state.withLock { _ = $0.subscriptions.removeValue(forKey: id) }
        let what = "more than \(subscription.limit) signals waited to be read for the rule \(subscription.rule)"
        subscription.continuation.finish(throwing: DBusError(.overflow, "\(what): read faster, or narrow the rule"))
    }

    /// Ends all subscriptions and listeners, because the connection has ended.
    func end(_ error: DBusError) {
        let (subscriptions, names) = state.withLock { state in
            state.ending = error
            defer { state.subscriptions = [:] }
            return (state.subscriptions, state.names)
        }
        for subscription in subscriptions.values { subscription.continuation.finish(throwing: error) }
        for listener in names.values.flatMap(\.listeners.values) { listener.finish() }
    }
}

extension SignalRouter.State {
    /// Returns the sender name in signals that match a rule with this sender.
    ///
    /// The bus sends signals under its well-known name.
    fileprivate func owner(of sender: BusName?) -> BusName? {
        guard let sender, !sender.isUnique, sender != .bus else { return sender }
        return names[sender]?.owner
    }
}
