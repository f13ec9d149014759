import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite(
    "A program that makes thousands of changes a second does not disturb other programs",
    .endsWithin(minutes: 15, instances: 4)
)
struct FloodStories {
    /// How many changes a program makes before it waits for a reply, and how often it does so.
    private static let (window, rounds) = (100, 20)

    /// Makes changes as fast as the daemon accepts them, while another program polls the daemon's status.
    ///
    /// - Returns: the number of replies that the other program received meanwhile.
    private static func flood(
        _ laptop: Device,
        _ program: HandoffClient,
        _ changes: @escaping @Sendable (Int) -> [MethodCall]
    ) async throws -> Int {
        try await laptop.connected { other in
            let isOver = Flag()
            return try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    for number in 0..<(window * rounds) {
                        for change in changes(number) { program.connection.send(change) }
                        // The reply comes after all of the changes, since calls on one connection stay in order.
                        if (number + 1).isMultiple(of: window) { _ = try await program.status() }
                    }
                    isOver.raise()
                    return 0
                }
                group.addTask {
                    var answers = 0
                    while !isOver.isRaised {
                        _ = try await other.status()
                        answers += 1
                    }
                    return answers
                }
                return try await group.reduce(0, +)
            }
        }
    }

    @Test(
        "Rapid changes of the current activity rarely change the advertisement, and other programs are served"
    )
    func current() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { program in
                let edit = try await program.create("org.example.edit", [:])
                let draw = try await program.create("org.example.draw", [:])
                try await program.becomeCurrent(edit)
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    let begin = ContinuousClock.now
                    let answers = try await Self.flood(laptop, program) { number in
                        [
                            .becomeCurrent(number.isMultiple(of: 2) ? draw : edit),
                            .set("Title", .string("\(number)"), edit),
                        ]
                    }
                    #expect(answers >= Self.rounds / 2, "the other program waited for more than two windows")
                    try await program.set("Title", to: .string("last"), of: edit)
                    // Each change of the advertisement makes a new entry on the other device, so the number of the last
                    // entry counts the changes.
                    try await watcher.until { $0.count == 1 }
                    let entry = try #require(try await desktop.json("nearby").array.first)
                    let tens = (begin.duration(to: .now) / .seconds(10)).rounded(.up)
                    #expect(try #require(entry["id"].number) <= 2 + 5 * (tens + 1), "more than 5 changes in 10 s")
                    let shown = try await program.objects().activities.first { $0.path == edit }
                    #expect(shown?.properties["Title"] == .string("last"))
                }
            }
        }
    }

    @Test(
        "Rapid changes of userInfo and NeedsSave change neither advertisement nor memory use, and the last one counts"
    )
    func state() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { program in
                let edit = try await program.create("org.example.edit", [:])
                try await program.becomeCurrent(edit)
                try await desktop.watching { watcher in
                    let before = try await watcher.one()
                    let text = String(repeating: "x", count: 1000)
                    let changes: @Sendable (Int) -> [MethodCall] = { number in
                        let userInfo = ["line": Value.int64(Int64(number)), "text": .string(text)].value
                        return [.set("NeedsSave", .boolean(true), edit), .set("UserInfo", userInfo, edit)]
                    }
                    _ = try await Self.flood(laptop, program, changes)
                    let memory = try laptop.residentKilobytes
                    let answers = try await Self.flood(laptop, program, changes)
                    #expect(answers >= Self.rounds / 2, "the other program waited for more than two windows")
                    #expect(try laptop.residentKilobytes < memory + 16_384, "twice as many changes took more memory")
                    let entry = try #require(try await desktop.json("nearby").array.first)
                    #expect(entry["id"] == before["id"], "the advertisement has changed")
                    let line = try await desktop.json("continue", "--print")["userInfo"]["line"].number
                    #expect(line == Double(Self.window * Self.rounds - 1))
                }
            }
        }
    }
}

/// A flag that is set once.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }

    func raise() {
        state.withLock { $0 = true }
    }
}

extension MethodCall {
    fileprivate static func becomeCurrent(_ activity: ObjectPath) -> MethodCall {
        MethodCall(
            destination: HandoffName.control,
            path: activity,
            interface: HandoffName.activityInterface,
            member: "BecomeCurrent",
            arguments: [[String: Value]().value]
        )
    }

    fileprivate static func set(_ property: String, _ value: Value, _ activity: ObjectPath) -> MethodCall {
        MethodCall(
            destination: HandoffName.control,
            path: activity,
            interface: "org.freedesktop.DBus.Properties",
            member: "Set",
            arguments: [.string(HandoffName.activityInterface.description), .string(property), .variant(value)]
        )
    }
}

extension Device {
    /// The daemon's resident memory in KiB (proc(5), VmRSS).
    var residentKilobytes: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
        }
    }
}
