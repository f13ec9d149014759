/// A client that owns activities: what tells it from the others, and where it receives callbacks.
///
/// The core only compares and returns these values; in the daemon they are names and paths on the bus.
package protocol ActivityOwner: Hashable, Sendable {
    /// The place at which an owner receives the callbacks of an activity.
    associatedtype Delegate: Hashable, Sendable
}
