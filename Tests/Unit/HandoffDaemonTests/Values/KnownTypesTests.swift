import HandoffCrypto
import HandoffModel
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
}
