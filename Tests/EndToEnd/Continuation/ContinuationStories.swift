import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("An activity of one device is continued on another", .endsWithin(minutes: 15, instances: 6))
struct ContinuationStories {
    @Test("After two devices trust each other by card, one publishes an activity and the other continues all of it")
    func wholeStory() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                let options = [
                    "--title", "Draft", "--webpage", "https://example.org/a", "--user-info", #"{"line": 12}"#,
                ]
                try await laptop.publishing("org.example.edit", options) { _ in
                    let seen = try await watcher.one()
                    #expect(seen["deviceName"].string == "laptop")
                    #expect(try await seen["device"].string == laptop.id)
                    #expect(seen["hasWebpage"].boolean == true)
                    #expect(seen["type"].isNull, "the desktop does not know the type of this hash yet")

                    let activity = try await desktop.json("continue", "--print")
                    #expect(activity["type"].string == "org.example.edit")
                    #expect(activity["title"].string == "Draft")
                    #expect(activity["webpageURL"].string == "https://example.org/a")
                    #expect(try activity["userInfo"] == JSON(#"{"line": 12}"#))
                    #expect(activity["deviceName"].string == "laptop")
                    // From now on the desktop knows the type of the hash.
                    try await watcher.until { $0.first?["type"].string == "org.example.edit" }
                    try await laptop.log.event("activity.previewed")
                }
            }
        }
    }

    @Test("A type that was offered or continued here has its name also after a restart of the daemon")
    func keptTypes() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await withPrivateBus { bus in
                    try await world.withDaemon("desktop", on: bus) { desktop in
                        try await laptop.trustEachOther(desktop)
                        try await desktop.publishing("org.example.draw") { _ in }
                        try await laptop.publishing("org.example.edit") { _ in
                            try await desktop.watching { _ = try await $0.one() }
                            _ = try await desktop.json("continue", "--print")
                        }
                        desktop.signal(SIGTERM)
                        _ = await desktop.process.exitStatus()
                    }
                    try await world.withDaemon("desktop", on: bus) { desktop in
                        try await desktop.watching { watcher in
                            for type in ["org.example.edit", "org.example.draw"] {
                                try await laptop.publishing(type) { _ in
                                    try await watcher.until { $0.first?["type"].string == type }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("A payload with all nine kinds of values arrives unchanged")
    func allKinds() async throws {
        let userInfo = """
            {"null": null, "yes": true, "no": false, "smallest": -9223372036854775808, "largest": 18446744073709551615,
             "real": 0.1, "one": {"$real": 1}, "nan": {"$real": "NaN"}, "text": "Grüße \u{1F44B}", "empty": "",
             "data": {"$data": "AAH+/w=="}, "date": {"$date": "1969-12-31T23:59:59.999999999Z"},
             "url": {"$url": "mailto:ann@example.org"}, "array": [1, {"$real": 1}, true, null, []],
             "dictionary": {"a": {"b": {}}, "c": 1}, "set": {"$set": [1, 2, {"$set": []}]},
             "dollar": {"$dictionary": {"$set": 1}}, "": "no name"}
            """
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--user-info", userInfo]) { _ in
                    _ = try await watcher.one()
                    let continued = try await desktop.json("continue", "--print")["userInfo"]
                    // The form of each value is unambiguous and unique, so that equal documents are equal values.
                    #expect(try continued == JSON(userInfo))
                }
            }
        }
    }

    @Test("An activity of nearly 64 KiB is continued completely")
    func largeActivity() async throws {
        let text = String(repeating: "0123456789abcdef", count: 4000)
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--user-info", #"{"text": "\#(text)"}"#]) { _ in
                    try await laptop.log.event("activity.large")
                    _ = try await watcher.one()
                    #expect(try await desktop.json("continue", "--print")["userInfo"]["text"].string == text)
                }
            }
        }
    }

    @Test("The list follows a change of the current activity, and the previous one comes back when the new one ends")
    func currentActivityChanges() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    let first = try await watcher.one()
                    try await laptop.publishing("org.example.draw") { draw in
                        let second = try await watcher.until {
                            $0.first?["typeHash"] != first["typeHash"] && $0.count == 1
                        }
                        #expect(second.first?["id"] != first["id"])
                        let stale = try await desktop.run("continue", "--print", "\(Int(first["id"].number ?? 0))")
                        #expect(stale.status == 4)
                        kill(draw.processID, SIGINT)
                        #expect(await draw.exitStatus() == 0)
                    }
                    let third = try await watcher.until { $0.count == 1 && $0[0]["typeHash"] == first["typeHash"] }
                    #expect(third.first?["id"] != first["id"])
                    #expect(try await desktop.json("continue", "--print")["type"].string == "org.example.edit")
                }
            }
        }
    }

    @Test("A stale entry is not continued after the current activity changed")
    func staleEntry() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.connected { program in
                let edit = try await program.createActivity(ofType: "org.example.edit", .init())
                let draw = try await program.createActivity(ofType: "org.example.draw", .init())
                try await program.becomeCurrent(edit)
                try await desktop.connected { user in
                    let entry = try await desktop.watchingOnce()
                    // The desktop receives no new advertisement from here on, and still has the address.
                    try await program.becomeCurrent(draw)
                    let outcome = await Result { try await user.fetchActivity(entry) }
                    // Either the answer with the error arrives first, or the advertisement that removes the entry.
                    #expect(throws: (any Error).self) { try outcome.get() }
                    #expect(["NoLongerCurrent", "NoSuchActivity", "UnknownObject"].contains(outcome.errorName))
                }
            }
        }
    }

    @Test("Continuing an activity does not consume it: two devices continue it twice each")
    func twice() async throws {
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                try await laptop.trustEachOther(tablet)
                try await laptop.publishing("org.example.edit", ["--title", "T"]) { _ in
                    for device in [desktop, tablet] {
                        try await device.watching { watcher in
                            _ = try await watcher.one()
                            for _ in 0..<2 {
                                #expect(try await device.json("continue", "--print")["title"].string == "T")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("A later continuation gets the userInfo as it was changed last")
    func newestState() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { program in
                let path = try await program.createActivity(ofType: "org.example.edit", .init())
                try await program.becomeCurrent(path)
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    try await program.setUserInfo(["line": .int64(1), "page": .int64(7)], of: path)
                    try await program.addUserInfo(["line": .int64(2)], to: path)
                    let userInfo = try await desktop.json("continue", "--print")["userInfo"]
                    #expect(try userInfo == JSON(#"{"line": 2, "page": 7}"#))
                }
            }
        }
    }
}
