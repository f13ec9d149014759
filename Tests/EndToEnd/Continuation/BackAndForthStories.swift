import DBus
import HandoffBus
import HandoffCrypto
import HandoffModel
import HandoffTestSupport
import TestLimits
import Testing

@Suite("A person goes back and forth, and the other devices follow", .endsWithin(minutes: 15, instances: 6))
struct BackAndForthStories {
    private static let (mail, page) = ("org.example.mail", "org.example.page")

    /// The hash by which a device lists an activity of that type.
    private static func hash(_ type: String) throws -> String { try ActivityType(type).hash.description }

    @Test(
        "Ten returns and ten withdrawals in a row are each heard in the next scan window or the one after it",
        arguments: [false, true]
    )
    func returns(isLooking: Bool) async throws {
        try await World.runMet { _, laptop, desktop in
            try await laptop.connected { program in
                let activities = [
                    (type: Self.mail, path: try await program.create(Self.mail, [:])),
                    (type: Self.page, path: try await program.create(Self.page, [:])),
                ]
                try await desktop.watching(isLooking: isLooking) { watcher in
                    for round in 0..<10 {
                        let (type, path) = activities[round % 2]
                        let hash = try Self.hash(type)
                        try await desktop.withinWindows(3) {
                            try await program.becomeCurrent(path)
                            try await watcher.until { $0.count == 1 && $0[0]["typeHash"].string == hash }
                        }
                    }
                    for round in 0..<10 {
                        let (_, path) = activities[round % 2]
                        try await program.becomeCurrent(path)
                        _ = try await watcher.one()
                        try await desktop.withinWindows(3) {
                            for (_, path) in activities {
                                try await program.call("ResignCurrent", [[String: Value]().value], of: path)
                            }
                            try await watcher.none()
                        }
                    }
                }
            }
        }
    }

    @Test("continue without an id goes on with what the device shows by then, each time")
    func nearest() async throws {
        try await World.runMet { _, laptop, desktop in
            try await laptop.connected { program in
                let activities = [
                    (type: Self.mail, path: try await program.create(Self.mail, [:])),
                    (type: Self.page, path: try await program.create(Self.page, [:])),
                ]
                try await program.becomeCurrent(activities[1].path)
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    for round in 0..<6 {
                        let (type, path) = activities[round % 2]
                        try await program.becomeCurrent(path)
                        // The change may not be on the air yet, and is not heard.
                        #expect(try await desktop.json("continue", "--print")["type"].string == type)
                        #expect(try await desktop.json("continue", "--print", "--take")["type"].string == type)
                    }
                }
            }
        }
    }

    @Test("Who asks for an entry that its device has left is told so, and the list has what it shows now")
    func left() async throws {
        try await World.runMet { _, laptop, desktop in
            try await laptop.connected { program in
                let (mail, page) = (try await program.create(Self.mail, [:]), try await program.create(Self.page, [:]))
                try await program.becomeCurrent(mail)
                let entry = try await desktop.watchingOnce()
                try await desktop.connected { user in
                    try await program.becomeCurrent(page)
                    let outcome = await Result { try await user.fetchActivity(entry) }
                    // It may have been heard before.
                    #expect(["NoLongerCurrent", "NoSuchActivity", "UnknownObject"].contains(outcome.errorName))
                    if outcome.errorName == "NoLongerCurrent" {
                        #expect(outcome.errorMessage.contains("laptop does not show that activity any more. It shows"))
                        let nearby = try await user.objects().nearby
                        #expect(nearby.map(\.typeHash) == [try Self.hash(Self.page)])
                    }
                }
            }
        }
    }

    @Test("Of an app that goes back and forth every half second, the last state is heard")
    func flipping() async throws {
        try await World.runMet { _, laptop, desktop in
            try await laptop.connected { program in
                let paths = [
                    try await program.create(Self.mail, [:]), try await program.create(Self.page, [:]),
                ]
                try await desktop.watching { watcher in
                    for round in 0..<21 {
                        try await program.becomeCurrent(paths[round % 2])
                        // What was asked for last is on the air when its turn has come.
                        if round.isMultiple(of: 5) {
                            try await laptop.untilCurrent(round % 2 == 0 ? Self.mail : Self.page)
                        }
                    }
                    let hash = try Self.hash(Self.mail)
                    try await desktop.withinWindows(3) {
                        try await watcher.until { $0.count == 1 && $0[0]["typeHash"].string == hash }
                    }
                    #expect(try await desktop.json("continue", "--print")["type"].string == Self.mail)
                }
            }
        }
    }
}

extension Device {
    /// Runs `body`, in which this device may begin to listen at most that many times.
    fileprivate func withinWindows(
        _ count: Int,
        at place: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async throws {
        let before = windows
        try await body()
        #expect(windows - before <= count, "it has listened \(windows - before) times", sourceLocation: place)
    }

    /// How many times this device has begun to listen in the background.
    private var windows: Int { log.lines.count { $0.isLogLine(of: "scan.window") } }
}
