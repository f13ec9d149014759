import HandoffBus
import HandoffModel

/// An activity in the form that `X-Handoff-Exec` programs read, which is that of `handoffctl continue --print --json`.
struct ActivityDocument: Encodable {
    let deviceName: String
    let type: String
    let title: String?
    let webpageURL: String?
    let userInfo: [String: UserInfoJSON]
    /// The argument for `OpenStream`, if the app that began the activity accepts streams.
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
