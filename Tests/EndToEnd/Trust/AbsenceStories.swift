import Foundation
import HandoffCrypto
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Devices find each other again after weeks", .endsWithin(minutes: 15, instances: 8))
struct AbsenceStories {
    /// What happened to the laptop while the desktop's key was replaced.
    enum Absence: CaseIterable {
        /// It was off.
        case off
        /// It was told the new key, and has then lost it: an old copy of its state was restored.
        case restored
    }

    private static let day = 24 * 60 * 60

    @Test(
        "A device that was off for weeks, or whose state is weeks old, hears one that advertises, and learns what it missed",
        arguments: Absence.allCases
    )
    func absence(_ absence: Absence) async throws {
        try await World.run { world in
            try await Self.daysAgo(21, in: world) { laptop, desktop in
                try await laptop.trustEachOther(desktop)
                try await desktop.publishing("org.example.edit") { _ in
                    try await Self.haveExchanged(laptop, desktop)
                }
            }
            let (state, kept) = (world.stateDirectory(of: "laptop"), world.stateDirectory(of: "kept"))
            try FileManager.default.copyItem(atPath: state, toPath: kept)
            switch absence {
            case .restored:
                try await Self.daysAgo(20, in: world) { laptop, desktop in
                    try await Self.letTabletJoin(desktop, in: world)
                    try await desktop.publishing("org.example.edit") { _ in
                        try await laptop.knows("desktop", "tablet")
                        // The laptop has a new key, too, since it knows the tablet: the desktop may say in the next slot only
                        // that it has that, and it is the desktop's that will be lost.
                        try await Self.haveExchanged(laptop, desktop, bothKeys: false)
                    }
                }
                try FileManager.default.removeItem(atPath: state)
                try FileManager.default.moveItem(atPath: kept, toPath: state)
            case .off:
                try await world.withDevice("desktop", clockAhead: -20 * Self.day) { desktop in
                    try await Self.letTabletJoin(desktop, in: world)
                    try await desktop.stop()
                }
            }
            try await world.withDevice("laptop") { laptop in
                try await world.withDevice("desktop") { desktop in
                    try await desktop.publishing("org.example.draw") { _ in
                        try await laptop.knows("desktop", "tablet")
                        try await laptop.watching { _ = try await $0.one() }
                        #expect(try await laptop.json("continue", "--print")["type"].string == "org.example.draw")
                    }
                }
            }
        }
    }

    /// Runs `body` with both devices as they were that many days ago, and stops them.
    private static func daysAgo(
        _ days: Int,
        in world: World,
        _ body: @escaping @Sendable (_ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await world.withDevice("laptop", clockAhead: -days * day) { laptop in
            try await world.withDevice("desktop", clockAhead: -days * day) { desktop in
                try await body(laptop, desktop)
                try await laptop.stop()
                try await desktop.stop()
            }
        }
    }

    /// Another device joins, so that the desktop replaces its key.
    private static func letTabletJoin(_ desktop: Device, in world: World) async throws {
        let before = try desktop.advertisingKeyRecord.id
        try await world.withDevice("tablet", clockAhead: -20 * day) { tablet in
            try await desktop.trustEachOther(tablet)
        }
        #expect(try desktop.advertisingKeyRecord.id != before)
    }

    /// Waits until both know the same circle, and the first has said that it has the other's key; the other, too, if wanted.
    private static func haveExchanged(_ one: Device, _ other: Device, bothKeys: Bool = true) async throws {
        let (first, second) = (try await one.id, try await other.id)
        let directories = [one, other].map { URL(filePath: $0.world.stateDirectory(of: $0.name)) }
        try await untilFiles(in: directories, "the exchange of the keys") {
            let (mine, theirs) = (try one.circleFile["peers"][second], try other.circleFile["peers"][first])
            return try (!bothKeys || one.isKnown(to: mine)) && other.isKnown(to: theirs) && !mine["toldDigest"].isNull
                && mine["toldDigest"] == theirs["toldDigest"]
        }
    }
}

extension Device {
    /// Whether another device has said that it has this device's present key.
    fileprivate func isKnown(to peer: JSON) throws -> Bool {
        peer["knownKey"].string == Data(try advertisingKeyRecord.id.bytes).base64EncodedString()
    }
}
