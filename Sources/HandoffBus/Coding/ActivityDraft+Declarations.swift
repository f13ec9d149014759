import DBus

extension ActivityDraft.Key {
    /// The property of `org.handoffd.Activity1` that an app may set.
    var declaration: PropertyDeclaration {
        PropertyDeclaration(MemberName(stringLiteral: rawValue), type, .emitted, isWritable: true, explanation)
    }

    private var explanation: String {
        switch self {
        case .title: "a short text that may be shown to the user, at most 1024 bytes of UTF-8; empty for none"
        case .webpageURL:
            "the page that a browser opens when no app continues: http or https, at most 2048 bytes; empty for none"
        case .userInfo: "the state to continue from; README.md has the table of the types of values"
        case .documentURL:
            "the file: URL of the document that it is about, which is also in UserInfo; empty for none"
        case .requiredUserInfoKeys:
            """
            the keys of UserInfo that are sent to other devices, the others staying here; empty for all, at most 1024
            """
        case .teamID:
            """
            the team whose apps may continue it: 1 to 64 letters, digits, dots, dashes and underscores; empty for none
            """
        case .expirationDate: "when it stops being offered, in microseconds since 1970 in UTC; 0 for never"
        case .targetContentIdentifier:
            "the content that it belongs to, at most 1024 bytes of UTF-8; empty for none"
        case .persistentIdentifier:
            "the name under which its app finds it again, at most 1024 bytes of UTF-8; empty for none"
        case .supportsContinuationStreams:
            "whether its app accepts streams from the apps that continue it; needs a Delegate"
        case .eligible: "whether the activity may be offered to other devices at all"
        case .needsSave:
            "whether the app has newer state than it has set, and is to be called with WillSave before a fetch"
        case .delegate:
            """
            the app's object with org.handoffd.ActivityDelegate1, on the connection that created the activity; / for
            none
            """
        case .application:
            "the id of the app's desktop file, whose team the activity has if TeamID is empty; empty for none"
        }
    }
}
