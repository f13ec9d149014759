package import HandoffBus
import HandoffModel

/// An activity of another device as JSON: what `X-Handoff-Exec` programs read, and what `handoffctl continue --print
/// --json` prints.
///
/// Absent properties have no key.
package struct ActivityDocument: Encodable, Sendable {
    /// The id of the device on which it began, 16 hexadecimal digits.
    package let device: String
    package let deviceName: String
    package let type: String
    package let title: String?
    package let webpageURL: String?
    package let userInfo: [String: UserInfoJSON]
    package let requiredUserInfoKeys: [String]?
    package let teamID: String?
    /// In the format of RFC 3339.
    package let expirationDate: String?
    package let targetContentIdentifier: String?
    package let persistentIdentifier: String?
    /// The argument for `OpenStream`, if the app that began the activity accepts streams.
    package let continuation: String?

    /// - Parameters:
    ///   - fetched: the activity.
    ///   - device: the id of the device from which it came.
    ///   - deviceName: the name of that device.
    package init(_ fetched: FetchedActivity, from device: String, named deviceName: String) {
        let activity = fetched.activity
        self.device = device
        self.deviceName = deviceName
        type = activity.type.rawValue
        title = activity.title
        webpageURL = activity.webpageURL?.rawValue
        userInfo = activity.userInfo.mapValues { UserInfoJSON($0) }
        requiredUserInfoKeys = activity.requiredUserInfoKeys.isEmpty ? nil : activity.requiredUserInfoKeys.sorted()
        teamID = activity.teamID
        expirationDate = activity.expiration?.description
        targetContentIdentifier = activity.targetContentIdentifier
        persistentIdentifier = activity.persistentIdentifier
        continuation = fetched.continuation
    }
}
