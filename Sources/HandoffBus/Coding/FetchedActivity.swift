package import HandoffModel

/// An activity that came from another device.
package struct FetchedActivity: Hashable, Sendable {
    package let activity: Activity
    /// The argument of `OpenStream` for a stream to the app that began it; nil when that app accepts none.
    package let continuation: String?

    package init(_ activity: Activity, continuation: String?) {
        self.activity = activity
        self.continuation = continuation
    }
}
