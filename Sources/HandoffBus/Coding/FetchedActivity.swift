package import HandoffModel

/// An activity that came from another device.
package struct FetchedActivity: Hashable, Sendable {
    package let activity: Activity
    /// What to pass to `OpenStream` for a stream to the app that began it; nil where that app takes none.
    package let continuation: String?

    package init(_ activity: Activity, continuation: String?) {
        self.activity = activity
        self.continuation = continuation
    }
}
