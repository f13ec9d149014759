import HandoffCrypto
import HandoffModel
import Logging
import SystemPackage
import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("Types are found by their hash once they were learnt", .endsWithin(minutes: 10))
struct KnownTypesTests {
    private static func kind(_ number: Int) throws -> ActivityKind {
        ActivityKind(try ActivityType("org.example.t\(number)"), team: nil)
    }

    @Test("A type that was learnt is found, and one that was not is unknown")
    func learning() throws {
        var types = KnownTypes()
        let kinds = try [nil, "T1", "T2"].map { ActivityKind(try ActivityType("org.example.edit"), team: $0) }
        for kind in kinds {
            #expect(types[kind.hash] == nil)
            #expect(types.learn(kind) == true)
            #expect(types.learn(kind) == false)
            #expect(types[kind.hash] == kind)
        }
    }

    @Test("Of too many types, the one that was learnt first is dropped")
    func bound() throws {
        var types = KnownTypes()
        for number in 0...KnownTypes.maximumCount { _ = types.learn(try Self.kind(number)) }
        #expect(types[try Self.kind(0).hash] == nil)
        #expect(types[try Self.kind(1).hash] != nil)
        #expect(types[try Self.kind(KnownTypes.maximumCount).hash] != nil)
    }

    @Test("What an earlier run has learnt is known, in its order, and does not count as learnt now")
    func earlierRun() throws {
        let before = try (1...3).map { try Self.kind($0) }
        var types = KnownTypes(before)
        #expect(types.all == before)
        #expect(types.learntCount == 0)
        _ = types.learn(before[0])
        _ = types.learn(try Self.kind(4))
        #expect(types.learntCount == 1)
        #expect(types.all.map(\.type.rawValue) == (1...4).map { "org.example.t\($0)" })
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
                    ["org.example.a", "no-type", "org.example.a T1"],
                    to: directory
                )
                let types = KnownTypesService.read(from: directory, logger: logger)
                #expect(types.all.map(\.type.rawValue) == ["org.example.a", "org.example.a"])
                #expect(types.all.map(\.team) == [nil, "T1"])
            }
        }
    }
}
