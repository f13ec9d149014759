import AsyncSupport
import HandoffCore
import HandoffModel
import Logging

/// Keeps the activity types that this device has learnt over a restart of the daemon.
///
/// They are a convenience: a file that cannot be read is logged, and the next type replaces it.
struct KnownTypesService: Service {
    let engine: Engine
    let directory: StateDirectory
    let logger: Logger

    private static let file = StateFile<[String]>(name: "types", version: 1)

    /// Returns the types that are kept; those that no activity can have are left out.
    static func read(from directory: StateDirectory, logger: Logger) -> KnownTypes {
        do throws(HandoffError) {
            return KnownTypes((try file.read(from: directory) ?? []).compactMap(ActivityKind.init(kept:)))
        } catch {
            logger.warning(
                "the known activity types are lost: \(error.message)",
                metadata: ["event": "types.unreadable"]
            )
            return KnownTypes()
        }
    }

    /// Writes the types whenever one was learnt, also just before the stop.
    func run() async throws {
        var written = engine.learntTypes.initial
        while true {
            let learnt = await nextChange(since: written)
            if learnt.version != written.version { await write(engine.read { $0.nearby.knownTypes.all }) }
            try Task.checkCancellation()
            written = learnt
        }
    }

    /// The change after `written`; the newest one when the task is cancelled.
    private func nextChange(since written: CurrentValue<UInt64>.Snapshot) async -> CurrentValue<UInt64>.Snapshot {
        (try? await engine.learntTypes.changed(since: written)) ?? engine.learntTypes.current
    }

    private func write(_ kinds: [ActivityKind]) async {
        do throws(HandoffError) {
            try await Self.file.write(kinds.map(\.kept), to: directory)
        } catch {
            logger.warning(
                "cannot keep the known activity types: \(error.message)",
                metadata: ["event": "types.unwritten"]
            )
        }
    }
}

extension ActivityKind {
    /// The type, and after a space the team if there is one: neither can contain a space.
    fileprivate var kept: String { [type.rawValue, team].compactMap(\.self).joined(separator: " ") }

    /// Reads what was kept; nil for a type that no activity can have.
    fileprivate init?(kept: String) {
        let words = kept.split(separator: " ", maxSplits: 1).map(String.init)
        guard let type = words.first.flatMap({ try? ActivityType($0) }) else { return nil }
        self.init(type, team: words.count > 1 ? words[1] : nil)
    }
}
