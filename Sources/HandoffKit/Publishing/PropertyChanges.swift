import AsyncSupport

/// Counts the changes of each property of an activity, for those who observe them.
final class PropertyChanges: Sendable {
    /// How often each property has changed.
    typealias Counts = [UserActivityProperty: UInt64]

    private let counts = CurrentValue<Counts>([:])

    /// The changes from now on.
    var sequence: UserActivityChanges { UserActivityChanges(counts: counts, start: counts.current) }

    /// Records a change of these properties.
    func note(_ properties: Set<UserActivityProperty>) {
        guard !properties.isEmpty else { return }
        counts.modify { counts in
            for property in properties { counts[property, default: 0] += 1 }
        }
    }

    /// Ends all sequences after the changes so far.
    func end() {
        counts.finish()
    }
}

/// The changes of an activity's properties, as ``UserActivity/changes`` returns them.
///
/// Each element names the properties that have changed since the element before; read their values from the activity.
/// Changes that a slow reader has missed are combined into one element, so that the memory for them is bounded.
public struct UserActivityChanges: AsyncSequence, Sendable {
    public typealias Element = Set<UserActivityProperty>
    public typealias Failure = Never

    let counts: CurrentValue<PropertyChanges.Counts>
    let start: CurrentValue<PropertyChanges.Counts>.Snapshot

    public func makeAsyncIterator() -> Iterator { Iterator(counts: counts, seen: start) }

    /// Waits for one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Failure = Never

        let counts: CurrentValue<PropertyChanges.Counts>
        var seen: CurrentValue<PropertyChanges.Counts>.Snapshot

        /// Waits until a property changes; nil when the activity has ended or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Set<UserActivityProperty>? {
            guard let next = try? await counts.changed(since: seen) else { return nil }
            defer { seen = next }
            return Set(next.value.filter { $0.value != seen.value[$0.key] }.keys)
        }

        /// Waits until a property changes; nil when the activity has ended or the task is cancelled.
        public mutating func next() async -> Set<UserActivityProperty>? {
            await next(isolation: nil)
        }
    }
}
