package import HandoffModel

/// Which web sites approve which apps, and when they are asked.
///
/// Guarantees:
/// - A site is asked when an app claims it, and then about once a day; never because something is continued.
/// - Only what a site has answered counts. A file without the app, and no file at all, revoke an approval at once; any
///   other failure leaves it for ``validity`` since the site has last confirmed it.
/// - A claim that disappears is forgotten; when it comes back, the site is asked again.
/// - While Handoff is paused, a site is asked only if the person requests it.
/// - A clock that is set wrong leads to another check, and never to a longer approval.
///
/// Events in, checks and approvals out; the times of checks are random, so that those of several devices, and of
/// several sites of one device, do not coincide. Its caller passes the source of randomness.
package struct SiteAssociations: Sendable {
    /// The most sites; what is claimed beyond is refused.
    package static let maximumSites = 200
    /// The most checks at once.
    package static let maximumChecks = 4
    /// The mean time between two checks of a site; each is up to a sixth longer or shorter.
    package static let interval = Duration.seconds(24 * 3600)
    /// How long an approval is kept without being confirmed.
    package static let validity = Duration.seconds(30 * 24 * 3600)
    /// The time to the second attempt after a failure that may pass; each further one is four times as long, up to the
    /// interval.
    static let firstRetry = Duration.seconds(300)
    /// The longest delay of checks that became due while the daemon was not running.
    static let startDelay = Duration.seconds(900)
    /// The least time between two checks of a site that are requested.
    static let requestInterval = Duration.seconds(5)
    /// How far a time may lie in the future before the clock counts as having been wrong.
    static let clockTolerance = Duration.seconds(24 * 3600)

    private struct Site: Sendable {
        var record: SiteRecord
        /// The apps that claim it now.
        var apps: Set<String> = []
        /// The check that is being made, and the apps when it began.
        var check: (number: UInt64, apps: Set<String>)?
        /// Whether the person has requested a check that has not begun yet.
        var isRequested = false
    }

    private var sites: [SiteHost: Site] = [:]
    private var lastCheck: UInt64 = 0
    /// What apps claim; nil until it is known.
    package private(set) var claims: Set<SiteClaim>?
    /// Whether Handoff is paused.
    private var isPaused = false
    /// Changes with everything that `status(of:at:)` and ``records`` tell, but for the passing of time.
    package private(set) var version: UInt64 = 0
    /// The approved claims, as of the last ``advance(to:)``.
    package private(set) var approvals: Set<SiteClaim> = []

    package init() {}

    // MARK: What is kept

    /// What is known of each site, by host, to be kept.
    package var records: [SiteRecord] { sites.values.map(\.record).sorted { $0.host < $1.host } }

    /// Takes what was kept by an earlier run; checks that became due meanwhile are made within `startDelay`.
    package mutating func restore(
        _ records: [SiteRecord],
        at now: Moment,
        using random: inout some RandomNumberGenerator
    ) {
        for var record in records.prefix(Self.maximumSites) {
            if Self.due(record, at: now) <= now.unixMicroseconds, Self.isValid(record, at: now) {
                record.next = now.unixMicroseconds + Int64.random(in: 0...Self.startDelay.microseconds, using: &random)
            }
            sites[record.host] = Site(record: record)
        }
        version += 1
    }

    // MARK: Events

    /// Replaces the claims of the installed apps that the person allows.
    package mutating func setClaims(_ new: Set<SiteClaim>, at now: Moment) {
        guard new != claims else { return }
        claims = new
        version += 1
        let apps = Dictionary(grouping: new, by: \.domain.host).mapValues { Set($0.map(\.app.description)) }
        // What is claimed beyond takes the place of nothing that is known.
        let hosts = apps.keys.sorted().partitioned { sites[$0] != nil }.prefix(Self.maximumSites)
        var kept: [SiteHost: Site] = [:]
        for host in hosts {
            var site = sites[host] ?? Site(record: SiteRecord(host: host, next: now.unixMicroseconds))
            site.apps = apps[host] ?? []
            site.record.asked.formIntersection(site.apps)
            site.record.approved.formIntersection(site.apps)
            if !site.apps.isSubset(of: site.record.asked) { site.record.next = now.unixMicroseconds }
            kept[host] = site
        }
        sites = kept
    }

    /// Begins or ends a pause.
    package mutating func setPaused(_ new: Bool) {
        guard new != isPaused else { return }
        isPaused = new
        if !sites.isEmpty { version += 1 }
    }

    /// Makes a check of every site due, as the person has requested; one that is being made counts as that.
    package mutating func checkAll(at now: Moment) {
        version += 1
        for (host, site) in sites where site.check == nil {
            sites[host]?.isRequested = true
            let earliest = (sites[host]?.record.checked ?? 0) + Self.requestInterval.microseconds
            let latest = now.unixMicroseconds + Self.requestInterval.microseconds
            sites[host]?.record.next = max(now.unixMicroseconds, min(earliest, latest))
        }
    }

    /// Begins the next check that is due; nil if there is none, or as many as may be are being made.
    package mutating func beginCheck(at now: Moment) -> SiteCheck? {
        let due = dueSites(at: now)
        guard let site = due.min(by: { ($0.record.next, $0.record.host) < ($1.record.next, $1.record.host) }) else {
            return nil
        }
        lastCheck += 1
        version += 1
        sites[site.record.host]?.check = (lastCheck, site.apps)
        sites[site.record.host]?.isRequested = false
        // Who was not asked about yet is not known from an unchanged file.
        let isKnown = site.apps.isSubset(of: site.record.asked)
        return SiteCheck(of: site.record.host, validator: isKnown ? site.record.validator : nil, number: lastCheck)
    }

    /// Ends a check; the result of one whose claim has disappeared meanwhile is dropped.
    package mutating func end(
        _ check: SiteCheck,
        _ outcome: SiteOutcome,
        at now: Moment,
        using random: inout some RandomNumberGenerator
    ) {
        guard var site = sites[check.host], let (number, apps) = site.check, number == check.number else { return }
        version += 1
        site.check = nil
        site.record.take(outcome, about: apps.intersection(site.apps), at: now.unixMicroseconds)
        let isComplete = site.apps.isSubset(of: apps)
        let delay = Self.delay(after: site.record.attempts)
        let wait = Int64.random(in: delay * 5 / 6...delay * 7 / 6, using: &random)
        site.record.next = now.unixMicroseconds + (isComplete ? wait : 0)
        sites[check.host] = site
    }

    // MARK: What follows

    /// Finds out which claims are approved now.
    ///
    /// - Returns: whether others than before are.
    @discardableResult
    package mutating func advance(to now: Moment) -> Bool {
        guard !sites.isEmpty || !approvals.isEmpty else { return false }
        let before = approvals
        approvals = (claims ?? []).filter { status(of: $0, at: now).verdict == .approved }
        return approvals != before
    }

    /// Returns what is known of a claim.
    package func status(of claim: SiteClaim, at now: Moment) -> SiteStatus {
        guard let site = sites[claim.domain.host], site.apps.contains(claim.app.description) else {
            return SiteStatus(verdict: .refused, failure: SiteFailure(.tooManySites))
        }
        let record = site.record
        let isAsked = record.asked.contains(claim.app.description)
        return SiteStatus(
            verdict: verdict(on: claim.app, record, at: now),
            verified: isAsked ? record.verified : nil,
            checked: isAsked ? record.checked : nil,
            failure: isAsked ? failure(of: claim.app, record) : nil,
            isChecking: site.check != nil || site.isRequested || isDue(site, at: now)
        )
    }

    /// Whether ``beginCheck(at:)`` begins one.
    package func hasDueCheck(at now: Moment) -> Bool { !dueSites(at: now).isEmpty }

    /// When the state changes by itself next, as `uptime`: a check becomes due, or an approval lapses.
    package func nextChange(at now: Moment) -> Duration? {
        guard claims != nil else { return nil }
        let times = sites.values.flatMap { site in
            let due = site.check == nil ? Self.due(site.record, at: now) : nil
            return [due, site.record.verified.map { $0 + Self.validity.microseconds }].compactMap(\.self)
        }
        let next = times.filter { $0 > now.unixMicroseconds }.min()
        return next.map { now.uptime + .microseconds($0 - now.unixMicroseconds) }
    }

    private func dueSites(at now: Moment) -> [Site] {
        guard claims != nil, sites.values.count(where: { $0.check != nil }) < Self.maximumChecks else { return [] }
        return sites.values.filter { $0.check == nil && isDue($0, at: now) }
    }

    private func isDue(_ site: Site, at now: Moment) -> Bool {
        (!isPaused || site.isRequested) && Self.due(site.record, at: now) <= now.unixMicroseconds
    }

    private func verdict(on app: ApplicationIdentifier, _ record: SiteRecord, at now: Moment) -> SiteStatus.Verdict {
        if record.approved.contains(app.description) { return Self.isValid(record, at: now) ? .approved : .lapsed }
        guard record.asked.contains(app.description), failure(of: app, record)?.isAnswer == true else {
            return .pending
        }
        return .refused
    }

    private func failure(of app: ApplicationIdentifier, _ record: SiteRecord) -> SiteFailure? {
        if let failure = record.failure { return failure }
        guard record.checked != nil, !record.approved.contains(app.description) else { return nil }
        return SiteFailure(.notListed, app.description)
    }

    // MARK: Times

    /// Whether what a site has confirmed still counts.
    private static func isValid(_ record: SiteRecord, at now: Moment) -> Bool {
        guard let verified = record.verified else { return false }
        let (age, isOverflow) = now.unixMicroseconds.subtractingReportingOverflow(verified)
        return !isOverflow && (-clockTolerance.microseconds..<validity.microseconds).contains(age)
    }

    /// When a site is to be checked; also if a clock that was wrong has put that off.
    private static func due(_ record: SiteRecord, at now: Moment) -> Int64 {
        let latest = now.unixMicroseconds + interval.microseconds * 7 / 6
        let isFromFuture = (record.checked ?? 0) > now.unixMicroseconds + clockTolerance.microseconds
        return record.next > latest || isFromFuture ? now.unixMicroseconds : record.next
    }

    /// The mean time to the next check, in microseconds.
    private static func delay(after attempts: Int) -> Int64 {
        guard attempts > 0, attempts < 6 else { return interval.microseconds }
        return min(firstRetry.microseconds << (2 * (attempts - 1)), interval.microseconds)
    }
}

extension SiteRecord {
    /// Takes the result of a check about these apps.
    fileprivate mutating func take(_ outcome: SiteOutcome, about apps: Set<String>, at now: Int64) {
        checked = now
        switch outcome {
        case .file(let file, let newValidator):
            (asked, approved, verified) = (apps, apps.intersection(file.apps), now)
            (failure, validator, attempts) = (nil, newValidator, 0)
        case .unchanged:
            (verified, failure, attempts) = (now, nil, 0)
        case .failed(let newFailure):
            // The file that the validator stands for was not searched for an app that has come since.
            if !apps.isSubset(of: asked) { validator = nil }
            asked = apps
            failure = newFailure
            attempts = !newFailure.mayPass ? 0 : min(attempts + 1, Self.maximumAttempts)
            guard newFailure.code == .absent else { return }
            (approved, verified, validator) = ([], nil, nil)
        }
    }
}

extension [SiteHost] {
    /// Those for which `isFirst` holds, and then the others, each in their order.
    fileprivate func partitioned(by isFirst: (SiteHost) -> Bool) -> [SiteHost] {
        filter(isFirst) + filter { !isFirst($0) }
    }
}

extension Duration {
    /// The duration in whole microseconds.
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
