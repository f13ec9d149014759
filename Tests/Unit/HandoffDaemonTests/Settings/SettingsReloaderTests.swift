import AsyncSupport
import HandoffBus
import HandoffCore
@testable import HandoffDaemon
import HandoffModel
import Logging
import Synchronization
import SystemPackage
import Testing
import TestLimits
import TestRuns

@Suite("The settings can be read again while the daemon runs", .endsWithin(minutes: 10))
struct SettingsReloaderTests {
    private struct Scene {
        let world: EngineWorld
        let file: FilePath
        let running: RunningSettings
        let reloader: SettingsReloader
    }

    /// Runs `body` with an engine that was started with the configuration `text`.
    private static func run(
        _ text: String,
        hostName: @escaping @Sendable () -> String = { "host" },
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await EngineWorld.run { world in
            try await withTemporaryDirectory { directory in
                let file = directory.appending("handoffd.conf")
                try file.write(text)
                var line = Settings.CommandLine()
                line.configuration = file.string
                let running = try RunningSettings(line, environment: ["HOME": "/nowhere"], hostName: hostName)
                let folders = try FolderList(
                    from: world.directory,
                    configured: running.settings.daemon.folders,
                    home: nil
                )
                let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                let reloader = SettingsReloader(running, engine: world.engine, folders: folders, logger: logger)
                world.engine.desktop.setFolders(folders.all)
                world.effects.clear()
                try await body(Scene(world: world, file: file, running: running, reloader: reloader))
            }
        }
    }

    @Test("What can change, changes at once; what is current stays")
    func applied() async throws {
        try await Self.run("") { scene in
            let engine = scene.world.engine
            let id = try scene.world.publish()
            try scene.file.write(
                """
                [handoffd]
                name = new
                logLevel = debug
                staysWhenAway = yes
                coverAdvertisement = yes
                notifies = no
                [folders]
                docs = /nowhere/docs
                """
            )
            let result = try await scene.reloader.reload()
            let keys = ["coverAdvertisement", "folders", "logLevel", "name", "notifies", "staysWhenAway"]
            #expect(result.applied == keys)
            #expect(result.needRestart.isEmpty)
            #expect(engine.trust.name.rawValue == "new")
            #expect(scene.running.threshold.level == .debug)
            #expect(engine.read(\.staysWhenAway))
            #expect(!engine.desktop.notifies)
            #expect(engine.desktop.folders.all.map(\.id.rawValue) == ["docs"])
            #expect(engine.read { $0.origin.current?.id } == id)
            #expect(try await scene.reloader.reload().applied.isEmpty, "the second time, nothing has changed")
        }
    }

    @Test("A setting that needs a restart is named, until the file has its former value again")
    func needRestart() async throws {
        try await Self.run("[handoffd]\nadapter = hci0") { scene in
            try scene.file.write("[handoffd]\nadapter = hci1\ntransport = gatt\nbus = system\nnotifies = no")
            let result = try await scene.reloader.reload()
            #expect(result.needRestart == ["adapter", "bus", "transport"])
            #expect(result.applied == ["notifies"])
            #expect(scene.reloader.needRestart == result.needRestart)
            #expect(scene.world.effects.all.contains("settings"))
            try scene.file.write("[handoffd]\nradio = simulated:/air")
            #expect(try await scene.reloader.reload().needRestart == ["radio"])
            try scene.file.write("[handoffd]\nadapter = hci0")
            #expect(try await scene.reloader.reload().needRestart.isEmpty)
        }
    }

    @Test(
        "An invalid file changes nothing, and the error is that of a start",
        arguments: ["{", "[handoffd]\nnmae = a", "[handoffd]\nname ="]
    )
    func invalid(_ text: String) async throws {
        try await Self.run("[handoffd]\nnotifies = no\nadapter = hci0") { scene in
            scene.world.engine.desktop.setNotifies(false)
            try scene.file.write(text)
            let error = await #expect(throws: HandoffError.self) { try await scene.reloader.reload() }
            #expect(error?.code == .invalidSettings)
            #expect(error?.message.contains("configuration file \(scene.file)") == true)
            #expect(!scene.world.engine.desktop.notifies)
            #expect(scene.reloader.needRestart.isEmpty)
        }
    }

    @Test("A renamed device keeps its name when the settings are read again without another one")
    func renamed() async throws {
        try await Self.run("") { scene in
            let engine = scene.world.engine
            try await engine.trust.configure(scene.running.settings.daemon.name)
            try await engine.trust.rename(engine.identity.id, to: DeviceName("chosen"))
            try scene.file.write("[handoffd]\nnotifies = no")
            #expect(try await scene.reloader.reload().applied == ["notifies"])
            #expect(engine.trust.name.rawValue == "chosen")
        }
    }

    @Test(
        "Another name of the host becomes that of the device at once, unless it has one of its own",
        arguments: [("", true), ("[handoffd]\nname = mine", false)]
    )
    func host(_ text: String, _ isRenamed: Bool) async throws {
        let host = Mutex("host")
        try await Self.run(text, hostName: { host.withLock { $0 } }) { scene in
            let before = scene.world.engine.trust.name.rawValue
            let (changes, newChange) = AsyncStream<Void>.makeStream()
            let (turns, newTurn) = AsyncStream<Void>.makeStream()
            let service = HostNameService(
                scene.reloader,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) {
                newTurn.yield()
                for await _ in changes { return }
                throw CancellationError()
            }
            try await withServices([{ try await service.run() }]) {
                await awaiting("the first look") { for await _ in turns { break } }
                // What is written there meanwhile waits for a reload.
                try scene.file.write("[handoffd]\nnotifies = no")
                host.withLock { $0 = "new-host" }
                newChange.yield()
                await awaiting("the next look") { for await _ in turns { break } }
            }
            #expect(scene.world.engine.trust.name.rawValue == (isRenamed ? "new-host" : before))
            #expect(scene.world.engine.desktop.notifies)
        }
    }

    @Test("Every copy of a logger follows the level, except one with a level of its own")
    func threshold() {
        let threshold = LogThreshold(.info)
        let logger = LogOutput.logger(from: threshold, isForeground: false)
        var quiet = logger
        quiet.logLevel = .error
        threshold.level = .debug
        #expect(logger.logLevel == .debug)
        #expect(quiet.logLevel == .error)
    }
}
