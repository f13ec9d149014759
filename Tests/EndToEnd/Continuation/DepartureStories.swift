import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("An activity that has ended is removed on the other devices", .endsWithin(minutes: 15, instances: 6))
struct DepartureStories {
    @Test("The activity of an interrupted publisher is withdrawn at once")
    func interrupted() async throws {
        try await World.runMet { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { publisher in
                    _ = try await watcher.one()
                    kill(publisher.processID, SIGINT)
                    try await atOnce { try await watcher.none() }
                    #expect(await publisher.exitStatus() == 0)
                }
            }
        }
    }

    @Test("The activity of a killed publisher is withdrawn at once")
    func killed() async throws {
        try await World.runMet { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { publisher in
                    _ = try await watcher.one()
                    kill(publisher.processID, SIGKILL)
                    try await atOnce { try await watcher.none() }
                }
            }
        }
    }

    @Test("A daemon that gets SIGTERM sends a withdrawal advertisement, ends with 0, and its publisher waits for it")
    func stopped() async throws {
        try await World.runMet { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { publisher in
                    _ = try await watcher.one()
                    laptop.signal(SIGTERM)
                    try await atOnce { try await watcher.none() }
                    #expect(await laptop.process.exitStatus() == 0)
                    kill(publisher.processID, SIGINT)
                    #expect(await publisher.exitStatus() == 0)
                }
            }
        }
    }

    @Test("A device that scans in intervals receives the withdrawal advertisement of a daemon that stops")
    func stoppedUnseen() async throws {
        try await World.runMet { _, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                // No client requests active scanning, so the desktop scans for one second in four.
                try await desktop.untilNearby { !$0.isEmpty }
                laptop.signal(SIGTERM)
                try await atOnce { try await desktop.untilNearby(\.isEmpty) }
                #expect(await laptop.process.exitStatus() == 0)
            }
        }
    }

    @Test("The entry of a killed daemon is removed after the time-out")
    func daemonKilled() async throws {
        try await World.runMet { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    _ = try await watcher.one()
                    laptop.signal(SIGKILL)
                    try await watcher.none()
                }
            }
        }
    }

    @Test("A restarted daemon is discovered again as the same device")
    func restarted() async throws {
        try await World.runMet { world, laptop, desktop in
            let id = try await laptop.id
            laptop.signal(SIGTERM)
            #expect(await laptop.process.exitStatus() == 0)
            try await world.withDevice("laptop") { laptop in
                #expect(try await laptop.id == id)
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit", ["--title", "again"]) { _ in
                        _ = try await watcher.one()
                        #expect(try await desktop.json("continue", "--print")["title"].string == "again")
                    }
                }
            }
        }
    }

    @Test("An activity that becomes ineligible is withdrawn at once, and offered again when it becomes eligible")
    func eligibility() async throws {
        try await World.runMet { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.connected { program in
                    let path = try await program.createActivity(ofType: "org.example.edit", .init())
                    try await program.becomeCurrent(path)
                    _ = try await watcher.one()
                    try await program.set("Eligible", to: .boolean(false), of: path)
                    try await atOnce { try await watcher.none() }
                    try await program.set("Eligible", to: .boolean(true), of: path)
                    _ = try await watcher.one()
                }
            }
        }
    }

    @Test("An activity that has just resigned can still be fetched through an entry that was read before")
    func grace() async throws {
        try await World.runMet { _, laptop, desktop in
            try await laptop.connected { program in
                let path = try await program.create("org.example.edit", ["Title": .string("late")])
                try await program.becomeCurrent(path)
                let entry = try await desktop.watchingOnce()
                try await desktop.connected { user in
                    try await user.startLooking()
                    async let activity = user.fetchActivity(entry)
                    try await desktop.log.event("fetch.began")
                    try await program.call("ResignCurrent", [[String: Value]().value], of: path)
                    #expect(try await activity.title == "late")
                }
            }
        }
    }
}

/// Runs `body` with a limit that is far shorter than any time-out of the protocol.
func atOnce(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await within(.seconds(10), "the operation did not end within 10 s") { try await body() }
}

/// Runs `body` with a limit that is shorter than the time after which an entry disappears that is not heard any more, 30 s.
func beforeTimeOut(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await within(.seconds(25), "the operation did not end within 25 s") { try await body() }
}

extension Device {
    /// Waits until what is nearby fulfils `condition`, without a request for active scanning.
    fileprivate func untilNearby(_ condition: @escaping @Sendable ([NearbyActivityDescription]) -> Bool) async throws {
        try await connected { client in
            try await client.first { condition(try await client.objects().nearby) ? () : nil }
        }
    }
}
