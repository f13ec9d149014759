import FoundationEssentials
import HandoffKit

/// One of the browser's four tabs, each with an activity type of its own: what begins in a tab here goes on in the same tab
/// on the other device.
///
/// It has two parts that know nothing of each other, the address bar and the notes: both take part in the tab's activity.
@MainActor
final class Tab {
    let number: Int
    let address = AddressBar()
    let notes = Notes()
    private let page = Page()
    private let say: @MainActor (String) -> Void
    private var activity: UserActivity?

    var activityType: String { "org.handoffd.MonkeyBrowser.tab\(number)" }

    init(number: Int, say: @escaping @MainActor (String) -> Void) {
        self.number = number
        self.say = say
    }

    /// Opens a page, and makes that what the person is doing.
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

    /// Gives the page as many bytes: too many for userInfo, so that they travel in a stream.
    func fill(_ count: Int) {
        page.fill(count)
    }

    /// Makes the tab the one that the person looks at.
    func show() {
        activity?.becomeCurrent()
    }

    func close() {
        activity?.invalidate()
        activity = nil
        address.url = ""
        notes.lines = []
    }

    /// Goes on with an activity of another device.
    func take(_ activity: UserActivity, restore: RestorationHandler) async {
        self.activity?.invalidate()
        self.activity = activity
        join(activity)
        await restore([address, notes])
        activity.becomeCurrent()
    }

    /// Reads the page from the device on which the tab was opened.
    func fetchPage() async {
        guard let activity else { return say("tab \(number): nothing was continued here") }
        do {
            let bytes = try await activity.withContinuationStreams { streams in
                try await streams.output.write(Array(address.url.utf8))
                try streams.output.finish()
                return try await streams.input.readAll(limit: 100_000_000)
            }
            page.bytes = bytes
            say("tab \(number): page of \(bytes.count) bytes, sum \(page.sum)")
        } catch let error as CocoaError {
            say(
                "tab \(number): no page: \(error.code.rawValue) \(error.handoffReason.map { "\($0)" } ?? "") \(error.handoffMessage)"
            )
        } catch {
            say("tab \(number): no page: \(error)")
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
        // Only the fourth tab has pages that are worth a stream; the others would refuse one.
        activity.supportsContinuationStreams = number == 4
        activity.addResponder(address)
        activity.addResponder(notes)
    }
}

extension Tab: UserActivityDelegate {
    func userActivityWillSave(_ userActivity: UserActivity) async {
        userActivity.addUserInfoEntries(from: ["version": 1])
        say("tab \(number): saved")
    }

    func userActivityWasContinued(_ userActivity: UserActivity, on deviceName: String) async {
        say("tab \(number): \(deviceName) goes on with it")
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
        say("tab \(number): sent \(page.bytes.count) bytes to \(deviceName), sum \(page.sum)")
    }

    func userActivity(_ userActivity: UserActivity, didFailToPublish error: CocoaError) async {
        say("tab \(number): not handed off: \(error.code.rawValue) \(error.handoffMessage)")
    }
}
