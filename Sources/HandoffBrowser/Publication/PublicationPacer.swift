/// Decides when the page that the user sees is published: at once after a pause, then at most once in
/// ``shortestInterval``; a withdrawal is never delayed.
package struct PublicationPacer: Sendable {
    /// The shortest time between two changes of what is published: a user who walks through tabs shows none of them.
    package static let shortestInterval = Duration.milliseconds(300)

    /// What to do with the activity of this browser.
    package enum Action: Hashable, Sendable {
        /// Publish this page in place of the last.
        case publish(PublishedPage)
        /// Make the activity current.
        case becomeCurrent
        /// The page may have another state than the one that was saved.
        case needsSave
        /// End the activity.
        case withdraw
    }

    private var published: PublishedPage?
    /// What is to be published later, and whether it becomes current.
    private var waiting: (page: PublishedPage, isFocused: Bool)?
    private var last: ContinuousClock.Instant?

    package init() {}

    /// The page that is published; nil if none is.
    package var page: PublishedPage? { published }

    /// The moment at which ``pass(at:)`` has something to do; nil when nothing waits.
    package var deadline: ContinuousClock.Instant? {
        waiting == nil ? nil : last.map { $0 + Self.shortestInterval }
    }

    /// The user sees a page.
    ///
    /// - Parameters:
    ///   - page: the page; nil for one that is never published.
    ///   - isFocused: whether its window has the focus, which makes the activity the current one.
    ///   - now: the present moment.
    /// - Returns: what follows, in order.
    package mutating func show(
        _ page: PublishedPage?,
        isFocused: Bool,
        at now: ContinuousClock.Instant
    ) -> [Action] {
        guard let page else { return withdraw() }
        // A window that was focused until now may be gone when its page is published.
        let isFocused = isFocused || waiting?.isFocused ?? false
        waiting = nil
        guard page != published else { return isFocused ? [.becomeCurrent, .needsSave] : [.needsSave] }
        // A page that nobody looks at does not begin an activity.
        guard isFocused || published != nil else { return [] }
        if let last, now - last < Self.shortestInterval {
            waiting = (page, isFocused)
            return []
        }
        return publish(page, isFocused: isFocused, at: now)
    }

    /// No page is offered any more.
    ///
    /// - Returns: what follows.
    package mutating func withdraw() -> [Action] {
        waiting = nil
        guard published.take() != nil else { return [] }
        return [.withdraw]
    }

    /// Time passes.
    ///
    /// - Returns: what follows, in order; nothing before ``deadline``.
    package mutating func pass(at now: ContinuousClock.Instant) -> [Action] {
        guard let deadline, now >= deadline, let (page, isFocused) = waiting.take() else { return [] }
        return publish(page, isFocused: isFocused, at: now)
    }

    private mutating func publish(
        _ page: PublishedPage,
        isFocused: Bool,
        at now: ContinuousClock.Instant
    ) -> [Action] {
        last = now
        published = page
        return [.publish(page), .needsSave] + (isFocused ? [.becomeCurrent] : [])
    }
}
