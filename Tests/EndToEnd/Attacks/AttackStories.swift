import Foundation
import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffRadio
import HandoffRadioSimulated
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("Attacks over the air get no response", .endsWithin(minutes: 15, instances: 4))
struct AttackStories {
    @Test("A broken, forged or replayed advertisement causes no packet of a device that receives it")
    func activeLinking() async throws {
        let reactions = try Self.reactionsOfTheModel()
        try await World.runPair { world, laptop, desktop in
            let keys = try [laptop.advertisingKey, desktop.advertisingKey]
            try await laptop.publishing("org.example.edit", ["--title", "T"]) { _ in
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    try await Attacker.run(in: world) { attacker in
                        let real = try await attacker.record([keys[0]])
                        let attempts = Self.attempts(around: real.data, keys[0])
                        for attempt in attempts { try await attacker.broadcast(attempt, besides: real.address) }
                        #expect(attacker.callCount == 0)
                        // A user's request does open a channel and is counted, which shows that the counter works.
                        try world.setAir { $0.off = ["laptop"] }
                        try await attacker.broadcast(real.data, besides: real.address) {
                            let result = try await desktop.run("--json", "continue", "--print")
                            #expect(result.status == 1)
                            #expect(attacker.callCount > 0)
                        }
                        measured(
                            .activeLinking,
                            onModel: reactions,
                            here: "0 packets for \(attempts.count) advertisements"
                        )
                    }
                }
            }
        }
    }

    @Test("A trusted device is served while 40 unauthenticated peers hold all their channels open and send nothing")
    func flood() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.publishing("org.example.edit", ["--title", "T"]) { _ in
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    try await ConnectionFlood.run(40, at: laptop) { flood in
                        try await flood.channels(40)
                        for _ in 0..<3 {
                            #expect(try await desktop.json("continue", "--print")["title"].string == "T")
                        }
                    }
                }
                let failures = laptop.log.lines.count { $0.isLogLine(of: "session.failed") && $0.contains("sessions") }
                #expect(failures <= 2, "unauthenticated peers fill the log")
            }
            let reactions = try Self.reactionsOfTheModel()
            let here = "a trusted device is served beside 40 silent, unauthenticated peers"
            let connections = reactions.replacing("key requests", with: "connections")
            measured(.flood, onModel: connections.replacing("for 8", with: "for 8 broken"), here: here)
        }
    }

    @Test("A trusted device is served while 40 unauthenticated peers dial all the time, each time from another address")
    func starvation() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.publishing("org.example.edit", ["--title", "T"]) { _ in
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    let served = Mutex(0)
                    try await ConnectionFlood.run(
                        40,
                        ConnectionFlood.Behaviour.allCases,
                        at: laptop
                    ) { flood in
                        try await flood.channels(100)
                        for _ in 0..<8 where try await desktop.run("--json", "continue", "--print").status == 0 {
                            served.withLock { $0 += 1 }
                        }
                    }
                    measured(
                        .starvation,
                        onModel: "\(Self.callsServedByTheModel()) of 8 calls of a trusted device are served",
                        here: "\(served.withLock(\.self)) of 8"
                    )
                }
            }
        }
    }

    /// The calls that a device serves that gives each newcomer a place and takes it from the longest stay, when 150
    /// strangers come while a caller authenticates.
    private static func callsServedByTheModel() -> Int {
        (0..<8).count { call in
            var admission = AdmissionControl<Int>(limit: 16)
            let caller = admission.admit(-1).id
            return !(0..<150).contains { admission.admit(call * 150 + $0).evicted == caller }
        }
    }

    @Test("The daemon opens no internet socket, so it has no network name that could be tracked")
    func network() async throws {
        try await World.runPair { _, laptop, _ in
            let sockets = try laptop.internetSockets
            #expect(sockets.isEmpty)
            measured(
                .multicastNames,
                onModel: "every query is answered",
                here: "\(sockets.count) internet sockets are open"
            )
        }
    }

    /// The advertisements that an attacker can make from a real one without its key; the last is half an hour old.
    private static func attempts(around real: [UInt8], _ key: AdvertisingKey) -> [[UInt8]] {
        func flipped(_ index: Int) -> [UInt8] {
            var data = real
            data[index] ^= 1
            return data
        }
        let slot = AdvertisementSealer.slot(unixSeconds: Int64(Date.now.timeIntervalSince1970))
        let recorded = AdvertisementSealer(key: key, slot: slot - 2).seal([0x10, 1, 2, 3, 4, 5])
        return [
            [UInt8](repeating: 0, count: 10), [UInt8](repeating: 0xFF, count: 10), flipped(0), flipped(9),
            Array(real.dropLast()), [7], real, recorded,
        ]
    }

    /// Every broken advertisement makes a device with the published protocol request a key.
    private static func reactionsOfTheModel() throws -> String {
        let key = [UInt8](repeating: 1, count: 32)
        var receiver = PublishedReceiver(keys: [key])
        let requests = try (0..<8).count { number in
            let broken = PublishedAdvertisement(
                status: 0,
                counter: 0,
                tag: 0,
                ciphertext: [UInt8](repeating: UInt8(number), count: 10)
            )
            return try receiver.hear(broken) == .keyRequest
        }
        return "\(requests) key requests for 8 advertisements"
    }
}

extension Device {
    /// The sockets of TCP or UDP that the daemon has opened (proc(5)); it inherits others from what started the tests.
    fileprivate var internetSockets: [String] {
        get throws {
            let process = "/proc/\(process.processID)"
            let sockets = try Self.descriptors(of: process).subtracting(try Self.descriptors(of: "/proc/self"))
            return ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"].flatMap { kind in
                let table = try? String(contentsOfFile: "\(process)/net/\(kind)", encoding: .utf8)
                // The tenth column is the inode (proc(5), /proc/net/tcp).
                return (table ?? "").split(separator: "\n").dropFirst()
                    .compactMap { line in line.split(separator: " ").dropFirst(9).first.map(String.init) }
                    .filter { sockets.contains("socket:[\($0)]") }
            }
        }
    }

    private static func descriptors(of process: String) throws -> Set<String> {
        let files = try FileManager.default.contentsOfDirectory(atPath: process + "/fd")
        return Set(
            files.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/fd/\($0)") }
        )
    }
}
