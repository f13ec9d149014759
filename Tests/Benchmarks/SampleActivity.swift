import HandoffModel
import HandoffWire

/// A position in a document, as an activity and as a type for JSON.
struct SampleActivity: Codable {
    struct UserInfo: Codable {
        let document: String
        let paragraph: Int
        let zoom: Double
        let edited: String
        let tags: [String]
        let recent: [String]
    }

    let type: String
    let title: String
    let webpageURL: String
    let userInfo: UserInfo

    /// A sample whose encoding has `bytes` bytes or slightly less.
    init(bytes: Int) throws {
        // Each line of text takes five bytes in addition to its own.
        let line = "A line that was read a while ago, and may be read "
        var count = max(0, (bytes - 400) / (line.utf8.count + 5))
        var sample = Self(recent: Array(repeating: line, count: count))
        while try sample.activity().encodedSize < bytes - 60 {
            count += 1
            sample = Self(recent: Array(repeating: line, count: count))
        }
        self = sample
    }

    private init(recent: [String]) {
        type = "org.example.editor.editing"
        title = "Letter to the editor"
        webpageURL = "https://example.org/documents/7f3a9c"
        userInfo = UserInfo(
            document: "https://example.org/documents/7f3a9c",
            paragraph: 12,
            zoom: 1.25,
            edited: "2026-11-21T09:30:00.25Z",
            tags: ["letters", "unsent"],
            recent: recent
        )
    }

    /// The same content as an activity.
    func activity() throws -> Activity {
        try Activity(
            type: ActivityType(type),
            title: title,
            webpageURL: WebpageURL(webpageURL),
            userInfo: [
                "document": .url(userInfo.document), "paragraph": .integer(Int64(userInfo.paragraph)),
                "zoom": .real(userInfo.zoom), "edited": .date(Timestamp(userInfo.edited)),
                "tags": .set(Set(userInfo.tags.map(UserInfoValue.string))),
                "recent": .array(userInfo.recent.map(UserInfoValue.string)),
            ]
        )
    }
}
