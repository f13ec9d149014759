import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("What has ended is gone from the other devices", .endsWithin(minutes: 15, instances: 6))
struct DepartureStories {
    @Test("a publisher that is interrupted takes its activity away at once")
    func interrupted() async throws {
        try await World.runPair { _, laptop, desktop in
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

    @Test("a publisher that is killed takes its activity away at once")
    func killed() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { publisher in
                    _ = try await watcher.one()
                    kill(publisher.processID, SIGKILL)
                    try await atOnce { try await watcher.none() }
                }
            }
        }
    }

    @Test("a daemon that is asked to stop says farewell, ends with 0, and its publisher is told")
    func stopped() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { publisher in
                    _ = try await watcher.one()
                    laptop.signal(SIGTERM)
                    try await atOnce { try await watcher.none() }
                    #expect(await publisher.exitStatus() == 3)
                    #expect(await laptop.process.exitStatus() == 0)
                }
            }
        }
    }

    @Test("a daemon that stops is heard even by a device that looks only now and then")
    func stoppedUnseen() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                // Nobody asks the desktop to look around: it listens for one second in four.
                try await desktop.untilNearby { !$0.isEmpty }
                laptop.signal(SIGTERM)
                try await atOnce { try await desktop.untilNearby(\.isEmpty) }
                #expect(await laptop.process.exitStatus() == 0)
            }
        }
    }

    @Test("a daemon that is killed vanishes after the time-out")
    func daemonKilled() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { publisher in
                    _ = try await watcher.one()
                    laptop.signal(SIGKILL)
                    #expect(await publisher.exitStatus() == 3)
                    try await watcher.none()
                }
            }
        }
    }

    @Test("a daemon that is started again is seen again, as the device that it was")
    func restarted() async throws {
        try await World.runPair { world, laptop, desktop in
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

    @Test("an activity that leaves the air because it is not eligible any more is gone at once, and comes back")
    func eligibility() async throws {
        try await World.runPair { _, laptop, desktop in
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

    @Test("what resigned can still be fetched by whoever picked it in that moment")
    func grace() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { program in
                let path = try await program.create("org.example.edit", ["Title": .string("late")])
                try await program.becomeCurrent(path)
                let entry = try await desktop.watchingOnce()
                try await desktop.connected { user in
                    async let activity = user.fetchActivity(entry)
                    try await program.call("ResignCurrent", of: path)
                    #expect(try await activity.title == "late")
                }
            }
        }
    }
}

/// Runs `body`, which has far less time than a time-out would take.
func atOnce(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await within(.seconds(10), "this should have happened at once") { try await body() }
}

extension Device {
    /// Waits until what is nearby fulfils `condition`, without asking the daemon to look around.
    fileprivate func untilNearby(_ condition: @escaping @Sendable ([NearbyActivityDescription]) -> Bool) async throws {
        try await connected { client in
            try await client.withSignals { signals in
                if condition(try await client.objects().nearby) { return }
                for try await _ in signals where condition(try await client.objects().nearby) { return }
            }
        }
    }
}
