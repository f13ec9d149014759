import FoundationEssentials
import Glibc
import HandoffKit

/// The browser: four tabs, of which one is shown.
@MainActor
final class Browser {
    static let id = "org.handoffd.MonkeyBrowser"

    private let tabs: [Tab]
    private var shown = 1

    init() {
        tabs = (1...4).map { Tab(number: $0, printLine: Self.printLine) }
    }

    /// Performs commands, one per line, until the end of input or `quit`.
    func run(_ commands: AsyncStream<String>, in handoff: Handoff) async {
        Self.printLine("ready")
        for await command in commands {
            let words = command.split(separator: " ", maxSplits: 1).map(String.init)
            guard let verb = words.first, verb != "quit" else {
                guard words.isEmpty else { return }
                continue
            }
            do {
                try await perform(verb, words.count > 1 ? words[1] : "", in: handoff)
            } catch let error as CocoaError {
                Self.printLine("cannot \(command): \(error.handoffMessage)")
            } catch {
                Self.printLine("cannot \(command): \(error)")
            }
        }
    }

    private var tab: Tab { tabs[shown - 1] }

    private func perform(_ verb: String, _ rest: String, in handoff: Handoff) async throws {
        switch verb {
        case "tab": show(Int(rest) ?? 0)
        case "open": try tab.open(rest, in: handoff)
        case "note": tab.note(rest)
        case "fill":
            guard let count = Int(rest), (0...100_000_000).contains(count) else {
                Self.printLine("a page has 0 to 100000000 bytes")
                break
            }
            tab.fill(count)
        case "fetch": await tab.fetchPage()
        case "close": tab.close()
        case "state": for tab in tabs { Self.printLine(tab.description) }
        default: Self.printLine("commands: tab N, open URL, note TEXT, fill COUNT, fetch, close, state, quit")
        }
        Self.printLine("done \(verb)")
    }

    private func show(_ number: Int) {
        guard tabs.indices.contains(number - 1) else { return Self.printLine("there are only tabs 1 to 4") }
        shown = number
        tab.show()
    }

    /// Writes a line without buffering: `print` buffers output that is not a terminal.
    private static func printLine(_ line: String) {
        let text = line + "\n"
        _ = text.utf8.withContiguousStorageIfAvailable { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

extension Browser: DesktopApplicationDelegate {
    func application(
        _ handoff: Handoff,
        willContinueUserActivityWithType userActivityType: String,
        from deviceName: String
    ) async -> Bool {
        guard let tab = tabs.first(where: { $0.activityType == userActivityType }) else { return false }
        Self.printLine("tab \(tab.number): waiting for \(deviceName)")
        return true
    }

    func application(
        _ handoff: Handoff,
        continue userActivity: UserActivity,
        restorationHandler: @escaping RestorationHandler
    ) async -> Bool {
        guard let tab = tabs.first(where: { $0.activityType == userActivity.activityType }) else { return false }
        shown = tab.number
        await tab.take(userActivity, restore: restorationHandler)
        Self.printLine("continued from \(userActivity.originDeviceName ?? ""): \(tab.description)")
        return true
    }

    func application(
        _ handoff: Handoff,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: CocoaError
    ) async {
        guard error.handoffReason != .userCancelled else { return }
        Self.printLine("not continued: \(error.code.rawValue) \(error.handoffReason.map { "\($0)" } ?? "")")
    }

    func application(_ handoff: Handoff, didUpdate userActivity: UserActivity) async {
        Self.printLine("updated: \(userActivity.userInfo.keys.sorted())")
    }

    func application(_ handoff: Handoff, isUnavailable error: CocoaError?) async {
        Self.printLine(
            error.map { "handoff unavailable: \($0.code.rawValue) \($0.handoffMessage)" } ?? "handoff available"
        )
    }

    func applicationDidActivate(_ handoff: Handoff, activationToken: String?) async {
        Self.printLine("activated: \(tab.description)")
    }

    func application(_ handoff: Handoff, open urls: [URL], activationToken: String?) async -> Bool {
        do {
            for url in urls { try tab.open(url.absoluteString, in: handoff) }
            Self.printLine("opened: \(tab.description)")
            return true
        } catch {
            return false
        }
    }
}
