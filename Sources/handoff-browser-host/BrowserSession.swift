import AsyncSupport
import FoundationEssentials
import HandoffBrowser
import HandoffKit
import Synchronization

/// What one run of a browser publishes and continues.
final class BrowserSession: Sendable {
    /// The answer of the extension to `save`.
    private struct Saved: Sendable {
        let url: String
        let state: PageState
    }

    private struct State {
        var pacer = PublicationPacer()
        /// The activity of the page that is published; nil when none is.
        var activity: UserActivity?
    }

    /// The time for the extension to look at a page: the daemon waits for 3 s in all.
    private static let saveLimit = Duration.milliseconds(1500)
    /// The time for the extension to open a tab: the daemon waits for 30 s.
    private static let openLimit = Duration.seconds(10)

    private let port: BrowserPort
    private let nearby: NearbyList
    private let state = Mutex(State())
    private let deadline = CurrentValue<ContinuousClock.Instant?>(nil)
    private let saves = PendingAnswers<Saved?>()
    private let openings = PendingAnswers<Bool>()

    init(port: BrowserPort) {
        self.port = port
        nearby = NearbyList(port: port)
    }

    /// Publishes what was delayed, and follows nearby activities while the user looks at them, until cancelled.
    func run(in handoff: Handoff) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.nearby.run() }
            group.addTask { try await self.runAlarms(in: handoff) }
            try await group.waitForAll()
        }
    }

    /// Handles a message of the extension.
    func handle(_ message: BrowserMessage, in handoff: Handoff) {
        switch message {
        case .hello:
            port.send(.error(BrowserError(.invalidMessage, "The extension has sent \"hello\" twice.")))
        case .page(let page, let isFocused):
            change(in: handoff) { $0.show(page, isFocused: isFocused, at: .now) }
        case .noPage: change(in: handoff) { pacer in pacer.withdraw() }
        case .saved(let id, let url, let pageState):
            saves.answer(pageState.map { Saved(url: url, state: $0) }, to: id)
        case .opened(let id, let isOpened): openings.answer(isOpened, to: id)
        case .look(let isLooking): nearby.look(isLooking)
        case .continue(let id, let entry): nearby.continue(entry, as: id)
        }
    }

    /// Publishes what waits when its time has come.
    private func runAlarms(in handoff: Handoff) async throws {
        var known = deadline.current
        while true {
            let seen = known
            guard let moment = seen.value else {
                known = try await deadline.changed(since: seen)
                continue
            }
            known = try await race {
                try await ProcessClock().sleep(until: moment)
                // This changes the deadline.
                self.change(in: handoff) { $0.pass(at: .now) }
                return self.deadline.current
            } _: {
                try await self.deadline.changed(since: seen)
            }
        }
    }

    private func change(in handoff: Handoff, _ change: (inout PublicationPacer) -> [PublicationPacer.Action]) {
        // Under the lock, so that the activity changes in the order of the decisions; the library does not block.
        let ended = state.withLock { state -> UserActivity? in
            var ended: UserActivity?
            for action in change(&state.pacer) {
                switch action {
                case .publish(let page): publish(page, in: handoff, &state)
                case .becomeCurrent: state.activity?.becomeCurrent()
                case .needsSave: state.activity?.needsSave = true
                case .withdraw: ended = state.activity.take()
                }
            }
            deadline.set(state.pacer.deadline)
            return ended
        }
        ended?.invalidate()
    }

    private func publish(_ page: PublishedPage, in handoff: Handoff, _ state: inout State) {
        if state.activity == nil {
            state.activity = try? UserActivity(activityType: NSUserActivityTypeBrowsingWeb, in: handoff)
            state.activity?.delegate = self
        }
        // What was saved belongs to the page before.
        state.activity?.userInfo = [:]
        state.activity?.title = page.title.isEmpty ? nil : page.title
        state.activity?.webpageURL = WebpageURL(model: page.url)
    }
}

extension BrowserSession: UserActivityDelegate {
    func userActivityWillSave(_ userActivity: UserActivity) async {
        let saved = await saves.ask(within: Self.saveLimit) { port.send(.save($0)) }
        state.withLock { state in
            // The user may have gone to another page meanwhile.
            guard let saved = saved ?? nil, saved.url == state.pacer.page?.address else { return }
            userActivity.userInfo = saved.state.userInfo.mapValues { UserInfoValue(model: $0) }
        }
    }
}

extension BrowserSession: HandoffApplicationDelegate {
    func application(
        _ handoff: Handoff,
        continue userActivity: UserActivity,
        restorationHandler: @escaping RestorationHandler
    ) async -> Bool {
        guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let page = userActivity.webpageURL else {
            return false
        }
        let pageState = PageState(userActivity.userInfo.mapValues(\.model))
        return await openings.ask(within: Self.openLimit) { id in
            port.send(.open(id, url: page.description, pageState))
        } ?? false
    }

    func application(_ handoff: Handoff, isUnavailable error: CocoaError?) async {
        port.send(.status(unavailable: error?.handoffMessage))
    }
}
