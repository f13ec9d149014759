import HandoffCrypto
import HandoffModel
import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("Types are known by their hash once they were met", .endsWithin(minutes: 10))
struct KnownTypesTests {
    @Test("a type that was learnt is found, one that was not is unknown")
    func learning() throws {
        var types = KnownTypes()
        let type = try ActivityType("org.example.edit")
        #expect(types[type.hash] == nil)
        #expect(types.learn(type) == true)
        #expect(types.learn(type) == false)
        #expect(types[type.hash] == type)
    }

    @Test("of too many types the one learnt first is forgotten")
    func bound() throws {
        var types = KnownTypes()
        for number in 0...KnownTypes.maximumCount { _ = types.learn(try ActivityType("org.example.t\(number)")) }
        #expect(types[try ActivityType("org.example.t0").hash] == nil)
        #expect(types[try ActivityType("org.example.t1").hash] != nil)
        #expect(types[try ActivityType("org.example.t\(KnownTypes.maximumCount)").hash] != nil)
    }
}
