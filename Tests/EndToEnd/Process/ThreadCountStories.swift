import Foundation
import HandoffTestSupport
import Testing
import TestLimits

@Suite(
    "The programs that rest have few threads, and none of libdispatch, which would wake up",
    .endsWithin(minutes: 15, instances: 6)
)
struct ThreadCountStories {
    /// How many threads a program has by their names.
    private func threads(of process: Int32) throws -> [String: Int] {
        let directory = "/proc/\(process)/task"
        // A thread may end meanwhile.
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).compactMap {
            try? String(contentsOfFile: "\(directory)/\($0)/comm", encoding: .utf8)
        }
        return names.reduce(into: [:]) { $0[$1.trimmingCharacters(in: .newlines), default: 0] += 1 }
    }

    @Test("A daemon that has paired, published, listed and fetched has the threads that it names")
    func daemon() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.page", ["--webpage", "https://example.org/"]) { _ in
                    _ = try await watcher.one()
                    _ = try await desktop.json("continue", "--print")
                }
            }
            for device in [laptop, desktop] {
                let threads = try threads(of: device.process.processID)
                // A thread of libdispatch would have the name of the one that has created it.
                #expect(threads["handoffd"] == 1, "\(threads)")
                #expect((1...3).contains(threads["tasks"] ?? 0), "\(threads)")
                // One waits for everything: both buses, the radio, streams, directories and signals.
                #expect(threads["events"] == 1, "\(threads)")
                // One that writes a file may not have ended yet.
                #expect(Set(threads.keys).isSubset(of: ["handoffd", "tasks", "events", "blocking"]), "\(threads)")
            }
        }
    }
}
