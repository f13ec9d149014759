import FoundationEssentials
import HandoffKit

/// One of the browser's four tabs.
///
/// Each tab has an activity type of its own, so that its activity continues in the same tab on another device. The
/// address bar and the notes are independent of each other; both are responders of the tab's activity.
@MainActor
final class Tab {
    let number: Int
    private(set) var address = AddressBar()
    private(set) var notes = Notes()
    private let page = Page()
    private let printLine: @MainActor (String) -> Void
    private var activity: UserActivity?

    var activityType: String { "org.handoffd.MonkeyBrowser.tab\(number)" }

    init(number: Int, printLine: @escaping @MainActor (String) -> Void) {
        self.number = number
        self.printLine = printLine
    }

    /// Opens a page and makes the tab's activity current.
    func open(_ url: String, in handoff: Handoff) throws {
        let webpage = try WebpageURL(url)
        address.url = url
        let activity = try self.activity ?? begin(in: handoff)
        activity.title = "Tab \(number)"
        activity.webpageURL = webpage
        activity.needsSave = true
        activity.becomeCurrent()
    }

    /// Writes a note below the page.
    func note(_ text: String) {
        notes.lines.append(text)
        activity?.needsSave = true
    }

    /// Fills the page with `count` bytes: too many for userInfo, so they are sent in a stream.
    func fill(_ count: Int) {
        page.fill(count)
    }

    /// Makes the tab's activity current, because the tab is shown.
    func show() {
        activity?.becomeCurrent()
    }

    /// Closes the page: the activity ends with its parts, of which nobody else has a reference.
    func close() {
        activity = nil
        address = AddressBar()
        notes = Notes()
    }

    /// Continues an activity of another device in this tab.
    func take(_ activity: UserActivity, restore: RestorationHandler) async {
        self.activity?.invalidate()
        self.activity = activity
        join(activity)
        await restore([address, notes])
        activity.becomeCurrent()
    }

    /// Reads the page from the origin device of the activity.
    func fetchPage() async {
        guard let activity else { return printLine("tab \(number): nothing was continued here") }
        do {
            let bytes = try await activity.withContinuationStreams { streams in
                try await streams.output.write(Array(address.url.utf8))
                try streams.output.finish()
                return try await streams.input.readAll(limit: 100_000_000)
            }
            page.bytes = bytes
            printLine("tab \(number): page of \(bytes.count) bytes, sum \(page.sum)")
        } catch let error as CocoaError {
            printLine(
                "tab \(number): no page: \(error.code.rawValue) \(error.handoffReason.map { "\($0)" } ?? "") \(error.handoffMessage)"
            )
        } catch {
            printLine("tab \(number): no page: \(error)")
        }
    }

    var description: String {
        "tab \(number): \(address.url.isEmpty ? "empty" : address.url) \(notes.lines), page sum \(page.sum)"
    }

    private func begin(in handoff: Handoff) throws -> UserActivity {
        let activity = try UserActivity(activityType: activityType, in: handoff)
        self.activity = activity
        join(activity)
        return activity
    }

    private func join(_ activity: UserActivity) {
        activity.delegate = self
        // Only the fourth tab supports streams, to show both cases.
        activity.supportsContinuationStreams = number == 4
        address.userActivity = activity
        notes.userActivity = activity
    }
}

extension Tab: UserActivityDelegate {
    func userActivityWillSave(_ userActivity: UserActivity) async {
        userActivity.addUserInfoEntries(from: ["version": 1])
        printLine("tab \(number): saved")
    }

    func userActivityWasContinued(_ userActivity: UserActivity, on deviceName: String) async {
        printLine("tab \(number): continued on \(deviceName)")
    }

    func userActivity(
        _ userActivity: UserActivity,
        didFailToContinueOn deviceName: String,
        error: CocoaError
    ) async {
        printLine("tab \(number): not continued on \(deviceName): \(error.handoffMessage)")
    }

    func userActivity(
        _ userActivity: UserActivity,
        didReceive streams: ContinuationStreams,
        from deviceName: String
    ) async throws {
        let url = String(decoding: try await streams.input.readAll(limit: 4096), as: UTF8.self)
        guard url == address.url else { throw CocoaError(.fileNoSuchFile) }
        try await streams.output.write(page.bytes)
        try streams.output.finish()
        printLine("tab \(number): sent \(page.bytes.count) bytes to \(deviceName), sum \(page.sum)")
    }

    func userActivity(_ userActivity: UserActivity, didFailToPublish error: CocoaError) async {
        printLine("tab \(number): not published: \(error.code.rawValue) \(error.handoffMessage)")
    }
}
