import AsyncSupport
import Foundation
import HandoffCore
import HandoffModel
import Logging
import SystemPackage
import Testing
import TestLimits
import TestRuns

@testable import HandoffDaemon

@Suite("A state directory that cannot be written is told of at once", .endsWithin(minutes: 10))
struct StateDirectoryMonitorTests {
    @Test("A directory that is gone is an advisory until it is there again, although nothing is changed")
    func gone() async throws {
        try await EngineWorld.runReady { world, _ in
            let path = world.directory.path
            let away = FilePath(path.string + ".away")
            try Self.rename(path, away)
            try await Self.watching(world, every: .milliseconds(20)) {
                try await Self.until(world, ["state-unwritable"])
                #expect(world.engine.trust.advisories.first?.message.contains(path.string) == true)
                try Self.rename(away, path)
                try await Self.until(world, [])
            }
            #expect(try path.names.allSatisfy { !$0.hasSuffix(".new") }, "no trial is left")
        }
    }

    @Test("A change that cannot be written is one too, without a trial, until one succeeds")
    func refusedChange() async throws {
        try await EngineWorld.runReady { world, peer in
            try await Self.watching(world, every: .seconds(3600)) {
                let draft = world.directory.path.appending(".devices.new")
                try draft.makeSocket()
                let (engine, id) = (world.engine, peer.device.id)
                await #expect(throws: HandoffError.self) {
                    try await engine.trust.rename(id, to: DeviceName("Travel"))
                }
                try await Self.until(world, ["state-unwritable"])
                try draft.removeFile()
                try await engine.trust.rename(id, to: DeviceName("Travel"))
                try await Self.until(world, [])
            }
        }
    }

    @Test("Where nothing can be written into a file, the trial says why")
    func trial() async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                try await directory.tryWriting()
                #expect(directory.obstacle.value == nil)
                try path.appending(".trial.new").makeSocket()
                await #expect(throws: HandoffError.self) { try await directory.tryWriting() }
                #expect(directory.obstacle.value?.contains(".trial.new cannot be written") == true)
            }
        }
    }

    @Test("That another file can be written, or a trial, does not hide that one cannot")
    func another() async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                let draft = path.appending(".devices.new")
                try draft.makeSocket()
                await #expect(throws: HandoffError.self) { try await directory.write([1], to: "devices") }
                try await directory.write([1], to: "types")
                try await directory.tryWriting()
                #expect(directory.obstacle.value?.contains(".devices.new") == true)
                try draft.removeFile()
                try await directory.tryWriting()
                #expect(directory.obstacle.value == nil)
            }
        }
    }

    private static func watching(
        _ world: EngineWorld,
        every interval: Duration,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let monitor = StateDirectoryMonitor(
            engine: world.engine,
            directory: world.directory,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            interval: interval
        )
        try await withServices([{ try await monitor.run() }], body)
    }

    /// Waits until the engine has exactly these advisories about its own state.
    private static func until(_ world: EngineWorld, _ names: [String]) async throws {
        try await awaiting("the advisories \(names)") {
            var shown = world.effects.changes.current
            while world.engine.trust.advisories.map(\.name) != names {
                shown = try await world.effects.changes.changed(since: shown)
            }
        }
    }

    private static func rename(_ path: FilePath, _ other: FilePath) throws {
        try FileManager.default.moveItem(atPath: path.string, toPath: other.string)
    }
}
