import DBus
import HandoffBus
import HandoffClient
import HandoffDesktop
import HandoffWindow
import TestLimits
import Testing

@Suite("What the window and the panel do, handoffctl does as well", .endsWithin(minutes: 5))
struct ParityTests {
    private static let path: ObjectPath = "/org/handoffd/Handoff1/Nearby/1"

    private static let actions: [WindowAction] = [
        .connect, .refresh, .preview(path), .continueActivity(path, opensPrograms: false),
        .continueActivity(path, opensPrograms: true), .cancelContinuation(path), .pair, .stopPairing,
        .answer(1, .device(1)), .answer(1, .areSame(true)), .forget(device: "a"), .askConsequences(device: "a"),
        .remove(device: "a", keeping: ["b"]), .drop(device: "a"), .keep(device: "a"), .rename(device: "a", "b"),
        .pause(until: 0), .pause(until: 1), .resume, .setReceiveOnly(true),
        .setRule(RuleDescription(verdict: "allow", kind: "app", value: "a")),
        .setRule(RuleDescription(verdict: "deny", kind: "app", value: "a")),
        .removeRule(kind: "app", value: "a"), .examine,
    ]

    private static let desktopCommands: [DesktopCommand] = [
        .continueActivity(path), .continueNearest, .cancel(path), .pair, .stopPairing, .showDigits,
        .pause(forAnHour: true), .pause(forAnHour: false), .resume, .setReceiveOnly(true), .startDaemon, .bindShortcut,
        .openWindow,
    ]

    /// The commands that do what an action of the window does.
    ///
    /// The compiler asks for those of a new action.
    private static func commands(for action: WindowAction) -> [String] {
        switch action {
        case .connect: ["status"]
        case .preview: ["continue --print 1"]
        case .continueActivity(_, opensPrograms: false): ["continue 1"]
        case .continueActivity(_, opensPrograms: true): ["continue --open-program 1"]
        // Interrupted, which cancels and says no.
        case .cancelContinuation: ["continue 1"]
        case .pair, .stopPairing, .answer: ["pair"]
        case .forget, .askConsequences, .drop: ["devices remove DEVICE"]
        case .remove: ["devices remove DEVICE", "devices keep DEVICE"]
        case .keep: ["devices keep DEVICE"]
        case .rename: ["devices rename DEVICE NAME"]
        case .pause(until: 0): ["pause"]
        case .pause: ["pause for 1h"]
        case .resume: ["resume"]
        case .setReceiveOnly: ["rules receive-only on", "rules receive-only off"]
        case .setRule(let rule): ["rules \(rule.verdict) app NAME"]
        case .removeRule: ["rules remove app NAME"]
        case .examine: ["doctor"]
        case .tell, .refresh: []
        }
    }

    /// The commands that do what a command of the panel does.
    private static func commands(for command: DesktopCommand) -> [String] {
        switch command {
        case .continueActivity, .cancel: ["continue 1"]
        case .continueNearest, .bindShortcut: ["continue --nearest"]
        case .pair, .stopPairing, .showDigits: ["pair"]
        case .pause(forAnHour: true): ["pause for 1h"]
        case .pause(forAnHour: false): ["pause"]
        case .resume: ["resume"]
        case .setReceiveOnly: ["rules receive-only on", "rules receive-only off"]
        case .startDaemon: ["status"]
        // It is a window.
        case .openWindow: []
        }
    }

    @Test("Each action of the window and each command of the panel has its command in the table of Docs/Window.md")
    func complete() throws {
        let table = try Page("Window.md").section("## The same in a terminal").filter { $0.hasPrefix("|") }
        let wanted = Self.actions.flatMap(Self.commands) + Self.desktopCommands.flatMap(Self.commands)
        // That handoffctl has them is tested with those of all pages.
        for command in Set(wanted) {
            #expect(table.contains { $0.contains("`handoffctl \(command)`") }, "handoffctl \(command)")
        }
    }
}
