import HandoffCrypto
import HandoffModel
import Logging
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Types are found by their hash once they were learnt", .endsWithin(minutes: 10))
struct KnownTypesTests {
    @Test("A type that was learnt is found, and one that was not is unknown")
    func learning() throws {
        var types = KnownTypes()
        let type = try ActivityType("org.example.edit")
        #expect(types[type.hash] == nil)
        #expect(types.learn(type) == true)
        #expect(types.learn(type) == false)
        #expect(types[type.hash] == type)
    }

    @Test("Of too many types, the one that was learnt first is dropped")
    func bound() throws {
        var types = KnownTypes()
        for number in 0...KnownTypes.maximumCount { _ = types.learn(try ActivityType("org.example.t\(number)")) }
        #expect(types[try ActivityType("org.example.t0").hash] == nil)
        #expect(types[try ActivityType("org.example.t1").hash] != nil)
        #expect(types[try ActivityType("org.example.t\(KnownTypes.maximumCount)").hash] != nil)
    }

    @Test("What an earlier run has learnt is known, in its order, and does not count as learnt now")
    func earlierRun() throws {
        let before = try (1...3).map { try ActivityType("org.example.t\($0)") }
        var types = KnownTypes(before)
        #expect(types.all == before)
        #expect(types.learntCount == 0)
        _ = types.learn(before[0])
        _ = types.learn(try ActivityType("org.example.t4"))
        #expect(types.learntCount == 1)
        #expect(types.all.map(\.rawValue) == (1...4).map { "org.example.t\($0)" })
    }

    @Test("A file of types that is damaged is left out, and so is a type that no activity can have")
    func damagedFile() async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                #expect(KnownTypesService.read(from: directory, logger: logger).all.isEmpty)
                try path.appending("types").write("damaged")
                #expect(KnownTypesService.read(from: directory, logger: logger).all.isEmpty)
                try await StateFile<[String]>(name: "types", version: 1).write(
                    ["org.example.a", "no type"],
                    to: directory
                )
                let types = KnownTypesService.read(from: directory, logger: logger)
                #expect(types.all.map(\.rawValue) == ["org.example.a"])
            }
        }
    }
}
