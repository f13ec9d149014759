import HandoffBus
import HandoffClient
package import HandoffModel

extension DesktopState {
    /// The most activities in the menu, and the most devices in theirs.
    package static let mostEntries = 20
    /// The width of a sentence in the menu, in characters.
    private static let width = 60

    /// The whole menu.
    ///
    /// - Parameter now: the present time, to say when devices were seen.
    package func menu(at now: Timestamp) -> MenuItem {
        let parts: [[MenuItem]] = [
            failureItems, activityItems, windowItems, pairingItems(at: now), ruleItems(at: now), problemItems,
        ]
        let filled = parts.filter { !$0.isEmpty }
        var items = filled.first ?? []
        for part in filled.dropFirst() {
            // Named after what follows it, so that it keeps its number when another part comes or goes.
            items.append(.separator("\(part[0].key)"))
            items += part
        }
        return MenuItem(.root, "", children: items)
    }

    private var failureItems: [MenuItem] {
        lines("failure", failure.map { [$0] } ?? [])
    }

    private var activityItems: [MenuItem] {
        guard mirror != nil else { return [] }
        let activities = activities
        let shown = activities.prefix(Self.mostEntries).map { activity in
            MenuItem(
                .activity(activity.path),
                activity.line,
                icon: activity.icon,
                command: activity.obstacle == nil && continuations[activity.path] == nil
                    ? .continueActivity(activity.path) : nil
            )
        }
        let rest = activities.count - shown.count
        let more = rest > 0 ? [MenuItem(.fixed("more"), "and \(rest) more: `handoffctl nearby` lists all")] : []
        let none = activities.isEmpty ? [MenuItem(.fixed("none"), "No activity nearby")] : []
        return lines("progress", continuationLines) + cancellationItems + shown + more + none
    }

    private var cancellationItems: [MenuItem] {
        let names = Dictionary(activities.map { ($0.path, $0.device) }) { first, _ in first }
        return ownContinuations.sorted().map { path in
            let device = names[path].map { " from \($0)" } ?? ""
            return MenuItem(.cancellation(path), "Cancel fetching\(device)", command: .cancel(path))
        }
    }

    private var windowItems: [MenuItem] {
        hasWindow ? [MenuItem(.fixed("window"), "Open Handoff…", command: .openWindow)] : []
    }

    private func pairingItems(at now: Timestamp) -> [MenuItem] {
        guard let mirror else { return [] }
        let devices = mirror.devices
        let entries = devices.prefix(Self.mostEntries).map { device in
            let seen = Timestamp(microseconds: device.lastSeen).map { "seen \($0.ago(at: now))" } ?? "never seen"
            return MenuItem(.device(device.path), "\(device.name.shown) – \(seen)")
        }
        let rest = devices.count - entries.count
        let more = rest > 0 ? [MenuItem(.fixed("moreDevices"), "and \(rest) more: `handoffctl devices` lists all")] : []
        let list = MenuItem(.fixed("devices"), "Devices", children: entries + more)
        return pairItems + (entries.isEmpty ? [] : [list]) + shortcutItems
    }

    private var pairItems: [MenuItem] {
        let stop = MenuItem(.fixed("stopPairing"), "Stop pairing", command: .stopPairing)
        return switch pairing {
        case .idle: [MenuItem(.fixed("pair"), "Pair a device…", command: .pair)]
        case .searching: [MenuItem(.fixed("pairing"), "Looking for a device to pair with …"), stop]
        case .comparing: [MenuItem(.fixed("digits"), "Show the digits again", command: .showDigits), stop]
        case .confirmed(let name): [MenuItem(.fixed("pairing"), "Waiting for the answer on \(name.shown) …"), stop]
        }
    }

    private var shortcutItems: [MenuItem] {
        switch shortcut {
        case .unavailable: []
        case .offered: [MenuItem(.fixed("shortcut"), "Set a keyboard shortcut…", command: .bindShortcut)]
        case .bound(let keys):
            [MenuItem(.fixed("bound"), "Keyboard shortcut" + (keys.isEmpty ? " is set" : ": \(keys.shown)"))]
        }
    }

    private func ruleItems(at now: Timestamp) -> [MenuItem] {
        guard let mirror, mirror.hasRules else { return [] }
        let rules = mirror.rules
        let end = Timestamp(microseconds: rules.pausedUntil).map { " (paused until \($0.localMinute(at: now)))" }
        let pause =
            rules.isPaused
            ? [MenuItem(.fixed("resume"), "Resume Handoff\(end ?? "")", command: .resume)]
            : [
                MenuItem(.fixed("pauseHour"), "Pause for an hour", command: .pause(forAnHour: true)),
                MenuItem(.fixed("pause"), "Pause until resumed", command: .pause(forAnHour: false)),
            ]
        return pause + [
            MenuItem(
                .fixed("receiveOnly"),
                "Receive only",
                kind: .checkmark(rules.isReceiveOnly),
                command: .setReceiveOnly(!rules.isReceiveOnly)
            )
        ] + lines("withheld", withheld)
    }

    private var problemItems: [MenuItem] {
        let problems = problems()
        switch daemon {
        case .starting: return [MenuItem(.fixed("starting"), "handoffd is starting …")]
        case .absent:
            return lines("problem", problems.map(\.message))
                + [MenuItem(.fixed("start"), "Start handoffd", command: .startDaemon)]
        case .unusable, .running:
            guard !problems.isEmpty else { return [] }
            let advice = MenuItem(.fixed("doctor"), "`handoffctl doctor` examines everything")
            return lines("problem", problems.map(\.message)) + [advice]
        }
    }

    /// Sentences as items that cannot be clicked, each in as many as it has lines.
    private func lines(_ part: String, _ sentences: [String]) -> [MenuItem] {
        sentences.flatMap { $0.shownSentence.lines(width: Self.width) }.prefix(Self.mostEntries).enumerated()
            .map { MenuItem(.line(part, $0.offset), $0.element) }
    }
}
