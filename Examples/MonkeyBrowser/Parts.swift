import HandoffKit

/// The address bar of a tab.
@MainActor
final class AddressBar: UserActivityResponder {
    let userActivityReference = UserActivityReference()
    var url = ""

    func updateUserActivityState(_ activity: UserActivity) async {
        activity.addUserInfoEntries(from: ["url": .url(url)])
    }

    func restoreUserActivityState(_ activity: UserActivity) async {
        url = activity.userInfo["url"]?.url ?? ""
    }
}

/// The notes that the user wrote below the page.
@MainActor
final class Notes: UserActivityResponder {
    let userActivityReference = UserActivityReference()
    var lines: [String] = []

    func updateUserActivityState(_ activity: UserActivity) async {
        activity.addUserInfoEntries(from: ["notes": .array(lines.map(UserInfoValue.string))])
    }

    func restoreUserActivityState(_ activity: UserActivity) async {
        lines = activity.userInfo["notes"]?.array?.compactMap(\.string) ?? []
    }
}

/// The content of a page.
@MainActor
final class Page {
    var bytes: [UInt8] = []

    /// Fills the page with `count` deterministic bytes.
    func fill(_ count: Int) {
        bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    /// A checksum for comparing the page on two devices: 64-bit FNV-1a.
    var sum: String {
        let sum = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(sum, radix: 16)
    }
}
