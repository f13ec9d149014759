import HandoffBus
import HandoffClient

extension DesktopState {
    /// The most activities and problems in a tool tip.
    private static let mostLines = 5

    /// What the tray item shows.
    package var trayStatus: TrayStatus {
        let (problems, activities) = (problems(), activities)
        let isPaused = mirror?.rules.isPaused == true
        let isQuiet = problems.isEmpty && activities.isEmpty && !isPaused && continuations.isEmpty && pairing == .idle
        let icon = isPaused ? TrayStatus.pausedIcon : problems.isEmpty ? TrayStatus.icon : TrayStatus.problemIcon
        return TrayStatus(
            attention: pairing == .comparing ? .needed : isQuiet ? .passive : .active,
            icon: icon,
            title: "Handoff",
            text: Self.bounded(trayLines(problems, activities)).map(\.escapedMarkup).joined(separator: "\n")
        )
    }

    private func trayLines(_ problems: [DaemonProblem], _ activities: [ShownActivity]) -> [String] {
        if pairing == .comparing { return ["Compare the digits with the other device."] }
        let paused = mirror?.rules.isPaused == true ? ["Handoff is paused."] : []
        let lines =
            continuationLines + paused + problems.map(\.message.shownSentence) + withheld.map(\.shownSentence)
            + activities.map(\.line)
        return lines.isEmpty ? ["No activity is nearby."] : lines
    }

    /// What is being continued, and what each waits for.
    package var continuationLines: [String] {
        let names = Dictionary(activities.map { ($0.path, $0) }) { first, _ in first }
        return continuations.sorted { $0.key < $1.key }.map { path, step in
            let device = names[path]?.device ?? "another device"
            return switch step {
            case .fetching: "Fetching an activity from \(device) …"
            case .synchronising(let document): "Waiting until \(document.shown) is synchronised …"
            case .opening(let application):
                application.isEmpty ? "Waiting until it is open …" : "Waiting for \(application.shown) …"
            }
        }
    }

    private static func bounded(_ lines: [String]) -> [String] {
        lines.count > mostLines ? lines.prefix(mostLines - 1) + ["and \(lines.count - mostLines + 1) more"] : lines
    }
}
