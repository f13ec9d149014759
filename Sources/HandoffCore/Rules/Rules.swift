import HandoffCrypto
package import HandoffModel

/// What the person at this device allows Handoff to do: whether it is paused, whether it only receives, and which apps,
/// types, sites and devices take part.
///
/// A value that decides; Docs/dbus/Rules1.md describes it for users. In this order, the first obstacle counts:
///
/// 1. A pause stops everything.
/// 2. A device that only receives gives nothing.
/// 3. By kind, in the order of `RuleSubject.Kind`: a rule that denies wins over any that allows, however general or
///    special the two are. Where rules allow something of a kind, only that is allowed.
///
/// Where there are rules about sites, a page is denied too if it is not known which host its address means.
///
/// Rules about types, apps and sites concern activities; those about devices concern what a device gets and offers.
/// None of them concerns the circle: a denied device is still trusted.
package struct Rules: Hashable, Sendable {
    /// What a rule says about its subject.
    package enum Verdict: String, CaseIterable, Sendable {
        case allow, deny
    }

    /// A pause, by its end.
    package enum Pause: Hashable, Sendable {
        case untilResumed
        /// Until this wall-clock time, in microseconds since 1970.
        case until(Int64)
    }

    /// The most rules: many more than a person writes, so that a program cannot fill the memory.
    package static let maximumCount = 1000

    /// The rules; a subject has one verdict at most.
    package private(set) var verdicts: [RuleSubject: Verdict] = [:]
    /// Whether this device continues activities of others and offers none.
    package var isReceiveOnly = false
    /// The pause; nil when there is none.
    package private(set) var pause: Pause?

    package init() {}

    // MARK: Changes

    /// Sets the verdict about a subject, in place of an earlier one.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    package mutating func set(_ verdict: Verdict, about subject: RuleSubject) throws(HandoffError) {
        guard verdicts[subject] != nil || verdicts.count < Self.maximumCount else {
            throw HandoffError(.limitReached, "There are \(Self.maximumCount) rules already; remove some of them.")
        }
        verdicts[subject] = verdict
    }

    /// Removes the rule about a subject.
    ///
    /// - Throws: ``HandoffError`` with `noSuchRule`.
    package mutating func remove(about subject: RuleSubject) throws(HandoffError) {
        guard verdicts.removeValue(forKey: subject) != nil else {
            throw HandoffError(
                .noSuchRule,
                "There is no rule about the \(subject.kind.rawValue) \(subject.value); `handoffctl rules` lists them."
            )
        }
    }

    /// Begins a pause, in place of an earlier one.
    package mutating func pause(_ pause: Pause) {
        self.pause = pause
    }

    /// Ends the pause.
    package mutating func resume() {
        pause = nil
    }

    /// Ends a pause whose time is over.
    package mutating func expire(at now: Moment) {
        if case .until(let end) = pause, end <= now.unixMicroseconds { pause = nil }
    }

    // MARK: Decisions

    /// Whether Handoff is paused.
    package var isPaused: Bool { pause != nil }

    /// When the pause ends by itself, as `uptime`; nil when it does not.
    package func pauseEnd(at now: Moment) -> Duration? {
        guard case .until(let end) = pause else { return nil }
        return now.uptime + .microseconds(end) - .microseconds(now.unixMicroseconds)
    }

    /// Returns why an activity of this device is not offered; nil when it is.
    ///
    /// - Parameters:
    ///   - activity: the activity.
    ///   - app: the id of the app that publishes it; nil when it has named none.
    package func obstacle(toOffering activity: Activity, by app: String?) -> RuleObstacle? {
        if isPaused { return .paused }
        if isReceiveOnly { return .receiveOnly }
        return obstacle(.type) { $0 == .type(activity.type) } ?? obstacle(app: app)
            ?? obstacle(page: activity.webpageURL)
    }

    /// Returns why a device neither gets anything from this one nor is asked for anything; nil when it may.
    package func obstacle(toDealingWith device: DeviceID) -> RuleObstacle? {
        if isPaused { return .paused }
        return obstacle(.device) { $0 == .device(device) }
    }

    /// Returns why an activity of another device is not shown; nil when it is.
    ///
    /// An advertisement has the hash of the type and team only: another type with the same hash is denied with it.
    ///
    /// - Parameters:
    ///   - hash: the hash in the advertisement.
    ///   - type: its type, if this device knows the hash.
    ///   - device: the device that advertises it.
    package func obstacle(
        toShowing hash: ActivityTypeHash,
        of type: ActivityType?,
        from device: DeviceID
    ) -> RuleObstacle? {
        obstacle(toDealingWith: device)
            ?? obstacle(.type) { subject in
                if case .type(let denied) = subject { denied == type || denied.hash == hash } else { false }
            }
    }

    /// Returns why an activity that a device has sent is not passed on; nil when it is.
    package func obstacle(toTaking activity: Activity, from device: DeviceID) -> RuleObstacle? {
        obstacle(toDealingWith: device) ?? obstacle(.type) { $0 == .type(activity.type) }
            ?? obstacle(page: activity.webpageURL)
    }

    /// Returns whether activities of other devices may be passed to an app.
    package func permits(app: String) -> Bool { obstacle(app: app) == nil }

    /// Returns whether pages of a domain may be passed to an app: those of one of its hosts at least.
    package func permits(pagesOf domain: AssociatedDomain) -> Bool {
        guard let host = try? HostName(domain.host.description) else { return false }
        let sites = verdicts.compactMap { rule -> (host: HostName, verdict: Verdict)? in
            if case .site(let site) = rule.key { (site, rule.value) } else { nil }
        }
        guard !sites.contains(where: { $0.verdict == .deny && $0.host.includes(host) }) else { return false }
        let allowed = sites.filter { $0.verdict == .allow }.map(\.host)
        return allowed.isEmpty
            || allowed.contains { $0.includes(host) || (domain.isWildcard && host.includes($0)) }
    }

    private func obstacle(app: String?) -> RuleObstacle? {
        let id = app.flatMap { try? DesktopFileID($0) }
        return obstacle(.app) { subject in id.map { .app($0) == subject } ?? false }
    }

    /// An activity without a web page is no concern of rules about sites.
    private func obstacle(page: WebpageURL?) -> RuleObstacle? {
        guard let page, verdicts.keys.contains(where: { $0.kind == .site }) else { return nil }
        // A spelling that only some programs understand gets round no rule.
        guard let host = page.host else { return .unknownHost(page.hostText) }
        return obstacle(.site) { subject in
            if case .site(let site) = subject { site.includes(host) } else { false }
        }
    }

    /// Applies the rules of one kind.
    private func obstacle(_ kind: RuleSubject.Kind, where matches: (RuleSubject) -> Bool) -> RuleObstacle? {
        guard !verdicts.isEmpty else { return nil }
        let rules = verdicts.filter { $0.key.kind == kind }
        let matching = rules.filter { matches($0.key) }
        if let denial = matching.filter({ $0.value == .deny }).keys.min() { return .denied(denial) }
        return matching.isEmpty && rules.values.contains(.allow) ? .notAllowed(kind) : nil
    }
}
