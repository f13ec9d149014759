import HandoffCore
import HandoffModel

/// What the person is told of the changes of the circle that other devices report: little, however much one reports.
///
/// The list of devices has all of it.
struct CircleReports {
    /// A headline and a sentence.
    struct Report: Hashable, Sendable {
        let summary: String
        let body: String
    }

    /// How many devices of one change are told one by one; more are told together.
    static let maximumSingle = 3
    /// How many reports of one device there are in ``interval``; then one says that there is more.
    static let maximumReports = 8
    static let interval = Duration.seconds(3600)

    private struct Told {
        let start: Duration
        var count = 0
    }

    private var told: [DeviceID: Told] = [:]

    /// Returns what the person is told of a change.
    ///
    /// - Parameters:
    ///   - changes: what has changed.
    ///   - source: the device that has reported it.
    ///   - name: its name.
    ///   - uptime: the present.
    mutating func reports(
        of changes: TrustedDevices.Changes,
        by source: DeviceID,
        named name: String,
        at uptime: Duration
    ) -> [Report] {
        told = told.filter { uptime - $0.value.start < Self.interval }
        var entry = told[source] ?? Told(start: uptime)
        defer { told[source] = entry }
        return Self.all(changes, name).compactMap { report in
            entry.count += 1
            if entry.count <= Self.maximumReports { return report }
            return entry.count == Self.maximumReports + 1 ? Self.more(by: name) : nil
        }
    }

    private static func all(_ changes: TrustedDevices.Changes, _ source: String) -> [Report] {
        let questions = Set(changes.questions.map(\.id))
        let removed = changes.removed.filter { !questions.contains($0.id) }
        return reports(changes.added.map(\.name.rawValue)) { names, isOne in
            let remedy = "Remove \(isOne ? "it if it is not yours" : "those that are not yours")."
            return Report(summary: "\(names) joined your devices", body: "\(source) reported it. \(remedy)")
        }
            + reports(removed.map(\.name.rawValue)) { names, isOne in
                let were = isOne ? "was" : "were"
                return Report(summary: "\(names) \(were) removed from your devices", body: "\(source) reported it.")
            }
            + reports(changes.questions.map(\.name.rawValue)) { names, isOne in
                Report(
                    summary: isOne ? "Is \(names) still one of your devices?" : "Are \(names) still your devices?",
                    body: "\(source) reported a change that only you can judge. Run `handoffctl devices`."
                )
            }
    }

    /// Makes a report for each of a few names, or one for many.
    private static func reports(_ names: [String], _ report: (_ names: String, _ isOne: Bool) -> Report) -> [Report] {
        guard names.count > maximumSingle else { return names.map { report($0, true) } }
        let shown = names.prefix(maximumSingle).joined(separator: ", ")
        return [report("\(shown) and \(names.count - maximumSingle) more", false)]
    }

    private static func more(by source: String) -> Report {
        Report(
            summary: "\(source) reports many changes of your devices",
            body: "Run `handoffctl devices` to see them; remove \(source) if it is not yours."
        )
    }
}
