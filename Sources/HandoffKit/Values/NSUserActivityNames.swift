import HandoffModel

// Constants with the names and values that they have in Apple's Foundation.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The activity type of web browsing: any browser may continue activities of this type, whatever its team.
public let NSUserActivityTypeBrowsingWeb = ActivityType.browsingWeb.rawValue

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of ``UserActivity/userInfo`` under which the URL of the document is sent.
///
/// It is there without the app's doing when ``UserActivity/documentURL`` is set.
public let NSUserActivityDocumentURLKey = Activity.documentURLKey
