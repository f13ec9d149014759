/// A property of a ``UserActivity`` that can change, as ``UserActivity/changes`` names it.
///
/// Later versions may add properties.
public struct UserActivityProperty: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

extension UserActivityProperty {
    /// Names ``UserActivity/title``.
    public static let title = UserActivityProperty(rawValue: "title")
    /// Names ``UserActivity/userInfo``.
    public static let userInfo = UserActivityProperty(rawValue: "userInfo")
    /// Names ``UserActivity/requiredUserInfoKeys``.
    public static let requiredUserInfoKeys = UserActivityProperty(rawValue: "requiredUserInfoKeys")
    /// Names ``UserActivity/webpageURL``.
    public static let webpageURL = UserActivityProperty(rawValue: "webpageURL")
    /// Names ``UserActivity/documentURL``.
    public static let documentURL = UserActivityProperty(rawValue: "documentURL")
    /// Names ``UserActivity/documentProblem``.
    public static let documentProblem = UserActivityProperty(rawValue: "documentProblem")
    /// Names ``UserActivity/expirationDate``.
    public static let expirationDate = UserActivityProperty(rawValue: "expirationDate")
    /// Names ``UserActivity/targetContentIdentifier``.
    public static let targetContentIdentifier = UserActivityProperty(rawValue: "targetContentIdentifier")
    /// Names ``UserActivity/persistentIdentifier``.
    public static let persistentIdentifier = UserActivityProperty(rawValue: "persistentIdentifier")
    /// Names ``UserActivity/teamID``.
    public static let teamID = UserActivityProperty(rawValue: "teamID")
    /// Names ``UserActivity/supportsContinuationStreams``.
    public static let supportsContinuationStreams = UserActivityProperty(rawValue: "supportsContinuationStreams")
    /// Names ``UserActivity/isEligibleForHandoff``.
    public static let isEligibleForHandoff = UserActivityProperty(rawValue: "isEligibleForHandoff")
    /// Names ``UserActivity/needsSave``.
    public static let needsSave = UserActivityProperty(rawValue: "needsSave")
    /// Names ``UserActivity/isCurrent``.
    public static let isCurrent = UserActivityProperty(rawValue: "isCurrent")
    /// Names ``UserActivity/encodedSize``.
    public static let encodedSize = UserActivityProperty(rawValue: "encodedSize")
    /// Names ``UserActivity/publishingError``.
    public static let publishingError = UserActivityProperty(rawValue: "publishingError")
}
