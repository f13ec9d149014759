import AsyncSupport
import HandoffCore
import Logging

/// Asks web sites which apps they approve, when the engine says so, and keeps what they have answered.
struct SiteService: Service {
    let engine: Engine
    let fetcher: SiteFetcher
    /// Nil when nothing is kept.
    let cache: SiteCache?
    let logger: Logger

    func run() async throws {
        try await follow()
    }

    /// Gives the engine what an earlier run has kept; to be called once, before apps are looked for.
    func restore() {
        guard let cache else { return }
        guard let records = cache.read() else {
            return logger.notice(
                "cannot read what sites have answered earlier; they are asked again",
                metadata: ["event": "sites.unreadable"]
            )
        }
        engine.sites.restore(records)
    }

    private func follow() async throws {
        var written = engine.sites.records
        var isWritable = true
        try await withThrowingDiscardingTaskGroup { group in
            var work = engine.siteWork.current
            while true {
                while let check = engine.sites.beginCheck() { group.addTask { try await perform(check) } }
                let records = engine.sites.records
                if records != written {
                    let wasWritable = isWritable
                    isWritable = await cache?.write(records) ?? true
                    written = records
                    if wasWritable, !isWritable { warn() }
                }
                work = try await engine.siteWork.changed(since: work)
            }
        }
    }

    private func perform(_ check: SiteCheck) async throws {
        logger.debug("asking a site about its apps", metadata: ["event": "site.asked", "site": "\(check.host)"])
        let outcome = try await fetcher.outcome(of: check)
        engine.sites.end(check, outcome)
        switch outcome {
        case .file(let file, _):
            logger.info(
                "a site has told about its apps",
                metadata: ["event": "site.answered", "site": "\(check.host)", "count": "\(file.apps.count)"]
            )
        case .unchanged:
            logger.debug(
                "a site has told nothing new",
                metadata: ["event": "site.unchanged", "site": "\(check.host)"]
            )
        case .failed(let failure):
            logger.notice(
                "a site has not approved an app, because \(failure.reason)",
                metadata: ["event": "site.failed", "site": "\(check.host)", "failure": "\(failure.code.rawValue)"]
            )
        }
    }

    private func warn() {
        logger.warning(
            "cannot keep what sites have answered; they are asked again after a restart",
            metadata: ["event": "sites.unwritten"]
        )
    }
}
