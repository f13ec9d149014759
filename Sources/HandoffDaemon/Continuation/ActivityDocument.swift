import HandoffBus
import HandoffModel

/// An activity as `X-Handoff-Exec` programs read it: the form of `handoffctl continue --print --json`.
struct ActivityDocument: Encodable {
    let deviceName: String
    let type: String
    let title: String?
    let webpageURL: String?
    let userInfo: [String: UserInfoJSON]
    /// For `OpenStream`, where the app that began it takes streams.
    let continuation: String?

    init(_ fetched: FetchedActivity, _ deviceName: String) {
        let activity = fetched.activity
        continuation = fetched.continuation
        self.deviceName = deviceName
        type = activity.type.rawValue
        title = activity.title
        webpageURL = activity.webpageURL?.rawValue
        userInfo = activity.userInfo.mapValues { UserInfoJSON($0) }
    }
}
