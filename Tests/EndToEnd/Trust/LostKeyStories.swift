import Foundation
import HandoffCrypto
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("A wrong clock or an old copy of the state silences no device", .endsWithin(minutes: 15, instances: 10))
struct LostKeyStories {
    private static let day = 24 * 60 * 60

    @Test(
        "A device whose clock is set over midnight and right again goes on hearing the others, and is heard",
        arguments: [-day, day]
    )
    func clockWhileRunning(seconds: Int) async throws {
        try await World.run { world in
            let clock = try TestClock(of: "desktop", in: world)
            try await world.withDevice("laptop") { laptop in
                try await world.withDevice("desktop", clock: clock) { desktop in
                    try await laptop.trustEachOther(desktop)
                    try await laptop.publishing("org.example.edit") { _ in
                        try await desktop.watching(isLooking: true) { watcher in
                            try await watcher.lists("org.example.edit")
                            try await desktop.setClock(clock, ahead: seconds)
                            try await desktop.setClock(clock, ahead: 0)
                            try await laptop.publishing("org.example.draw") { _ in
                                try await watcher.lists("org.example.draw")
                            }
                        }
                    }
                    // Its key is the one of before, unless it has told another one meanwhile: ClockSetTests has both.
                    try await desktop.publishing("org.example.return") { _ in
                        try await laptop.watching { try await $0.lists("org.example.return") }
                    }
                    let check = try await desktop.run("status", "--check")
                    #expect((check.status, check.stdout) == (0, ""))
                }
            }
        }
    }

    /// What a device goes through whose clock is wrong when it starts.
    enum Start: CaseIterable {
        /// A time server puts the clock right while it runs.
        case corrected
        /// It is started again when the clock is right.
        case startedAgain
    }

    @Test(
        "A device that starts with its clock a day off hears the others when it is right",
        arguments: [-day, day],
        Start.allCases
    )
    func clockAtStart(seconds: Int, _ start: Start) async throws {
        try await World.run { world in
            let clock = try TestClock(of: "desktop", in: world)
            try await world.withDevice("laptop") { laptop in
                try await world.withDevice("desktop", clock: clock) { desktop in
                    try await laptop.trustEachOther(desktop)
                    try await laptop.meet(desktop)
                    try await desktop.stop()
                }
                try clock.set(ahead: seconds)
                try await laptop.publishing("org.example.edit") { _ in
                    try await world.withDevice("desktop", clock: clock) { desktop in
                        switch start {
                        case .corrected:
                            try await desktop.watching(isLooking: true) { watcher in
                                try await desktop.setClock(clock, ahead: 0)
                                try await watcher.lists("org.example.edit")
                            }
                        case .startedAgain:
                            try await desktop.untilKeys(ofDayAhead: seconds)
                            try await desktop.stop()
                        }
                    }
                    try clock.set(ahead: 0)
                    try await world.withDevice("desktop", clock: clock) { desktop in
                        try await desktop.watching { try await $0.lists("org.example.edit") }
                    }
                }
            }
        }
    }

    @Test("A device whose state is from before a removal learns it, hears the others and is heard")
    func restoredBeforeRemoval() async throws {
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                try await tablet.trustEachOther(desktop)
                try await desktop.publishing("org.example.edit") { _ in
                    try await laptop.knows("desktop", "tablet")
                    try await tablet.knows("desktop", "laptop")
                }
                try await laptop.stop()
                try world.copyState(of: "laptop", to: "kept")
                try await world.withDevice("laptop") { laptop in
                    try await desktop.publishing("org.example.edit") { _ in
                        _ = try await desktop.json("devices", "remove", "--yes", try await tablet.id)
                        try await laptop.knows("desktop")
                    }
                    try await laptop.stop()
                }
                try world.copyState(of: "kept", to: "laptop")
                try await world.withDevice("laptop") { laptop in
                    #expect(try await laptop.json("devices").array.count == 2)
                    try await Self.hearEachOther(laptop, desktop)
                    try await laptop.knows("desktop")
                    try await tablet.watching(isLooking: true) { watcher in
                        try await watcher.none()
                        try await laptop.publishing("org.example.secret") { _ in
                            try await desktop.watching(isLooking: true) { try await $0.lists("org.example.secret") }
                            try await watcher.none()
                        }
                    }
                }
            }
        }
    }

    @Test("A device whose state is from before another one joined learns of that, hears the others and is heard")
    func restoredBeforeJoining() async throws {
        try await World.runMet { world, laptop, desktop in
            try await laptop.stop()
            try world.copyState(of: "laptop", to: "kept")
            try await world.withDevice("laptop") { laptop in
                try await world.withDevice("tablet") { tablet in
                    try await tablet.trustEachOther(desktop)
                    try await desktop.publishing("org.example.edit") { _ in try await laptop.knows("desktop", "tablet")
                    }
                }
                try await laptop.stop()
            }
            try world.copyState(of: "kept", to: "laptop")
            try await world.withDevice("laptop") { laptop in
                try await Self.hearEachOther(laptop, desktop)
                try await laptop.knows("desktop", "tablet")
            }
        }
    }

    @Test("After the clocks of both were set back by a slot, an activity is listed and fetched at once")
    func bothSetBack() async throws {
        try await World.run { world in
            let clocks = try ["laptop", "desktop"].map { try TestClock(of: $0, in: world) }
            try await world.withDevice("laptop", clock: clocks[0]) { laptop in
                try await world.withDevice("desktop", clock: clocks[1]) { desktop in
                    try await laptop.trustEachOther(desktop)
                    try await laptop.meet(desktop)
                    try await laptop.publishing("org.example.edit") { _ in
                        try await desktop.watching(isLooking: true) { watcher in
                            try await watcher.lists("org.example.edit")
                            try await desktop.setClock(clocks[1], ahead: -900)
                            try await laptop.setClock(clocks[0], ahead: -900)
                            try await laptop.publishing("org.example.draw") { _ in
                                try await beforeTimeOut { try await watcher.lists("org.example.draw") }
                                #expect(
                                    try await desktop.json("continue", "--print")["type"].string == "org.example.draw"
                                )
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("A fetch that fails because the clock here was set says so")
    func wrongClockHere() async throws {
        try await World.run { world in
            let clock = try TestClock(of: "desktop", in: world)
            try await world.withDevice("laptop") { laptop in
                try await world.withDevice("desktop", clock: clock) { desktop in
                    try await laptop.trustEachOther(desktop)
                    try await laptop.meet(desktop)
                    try await laptop.publishing("org.example.edit") { _ in
                        try await desktop.watching(isLooking: true) { watcher in
                            try await watcher.lists("org.example.edit")
                            try await desktop.setClock(clock, ahead: -Self.day)
                            // Its address has changed by then.
                            try world.setAir { $0.off = ["laptop"] }
                            let result = try await desktop.run("continue", "--print")
                            #expect(result.status == 1)
                            #expect(result.stderr.contains("laptop cannot be reached: the clock of"))
                            #expect(!result.stderr.contains("nearer"))
                        }
                    }
                }
            }
        }
    }

    /// Lets two devices offer something, and waits until each lists what the other one does.
    private static func hearEachOther(_ one: Device, _ other: Device) async throws {
        try await one.publishing("org.example.one") { _ in
            try await other.publishing("org.example.other") { _ in
                try await one.watching { try await $0.lists("org.example.other") }
                try await other.watching { try await $0.lists("org.example.one") }
            }
        }
    }
}

extension NearbyWatcher {
    /// Waits until an activity of that type is listed.
    fileprivate func lists(_ type: String) async throws {
        let hash = try ActivityType(type).hash.description
        try await until { rows in rows.contains { $0["typeHash"].string == hash } }
    }
}

extension Device {
    /// Sets the clock of this device, and waits until its daemon has noticed it and has moved its keys.
    fileprivate func setClock(_ clock: TestClock, ahead seconds: Int) async throws {
        let start = log.lines.count
        try clock.set(ahead: seconds)
        try await log.event("clock.set", from: start)
        try await untilKeys(ofDayAhead: seconds)
    }

    /// Waits until the daemon has moved its keys to the day that its clock shows.
    fileprivate func untilKeys(ofDayAhead seconds: Int) async throws {
        try await untilFiles(in: [URL(filePath: world.stateDirectory(of: name))], "keys of the day of the clock") {
            let slot = AdvertisementSealer.slot(unixSeconds: Int64(Date.now.timeIntervalSince1970) + Int64(seconds))
            return try advertisingKeyRecord.daily.day == DailyKey.keptDay(at: slot)
        }
    }
}

extension World {
    /// Puts a copy of the state of a device in the place of another one's.
    fileprivate func copyState(of name: String, to other: String) throws {
        let (from, to) = (stateDirectory(of: name), stateDirectory(of: other))
        try? FileManager.default.removeItem(atPath: to)
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }
}
