import DBus
import TestLimits
import Testing

@Suite("Conversion between D-Bus values and Swift types", .endsWithin(minutes: 10))
struct ValueTests {
    private func back<T: ValueConvertible & Equatable>(_ original: T) -> Bool {
        original.value.type == T.valueType && T(original.value) == original
    }

    @Test("A Swift value is the same after the conversion to D-Bus and back")
    func roundTrip() throws {
        #expect(back(true))
        #expect(back(UInt8.max) && back(Int16.min) && back(UInt16.max) && back(Int32.min) && back(UInt32.max))
        #expect(back(Int64.min) && back(UInt64.max) && back(-0.5) && back("é") && back("/a" as ObjectPath))
        #expect(back(try Signature("a{sv}")))
        #expect(back([UInt8]()) && back([1, 2, 3] as [UInt8]) && back([String]()) && back(["a", "b"]))
        #expect(back(["a": Value.string("b"), "c": .variant(.byte(1))]))
        #expect(back([["x": [1, 2] as [Int32]]]) && back([UInt16(3): ["a"]]))
    }

    @Test("A dictionary of values has the type a{sv} and is sorted by its keys")
    func dictionary() {
        let value = ["b": Value.byte(1), "a": .string("x")].value
        #expect(value.type.description == "a{sv}")
        #expect(value.dictionary?.map(\.key) == [.string("a"), .string("b")])
        #expect(value.stringDictionary == ["a": .string("x"), "b": .byte(1)])
        #expect(Value.variant(.variant(.byte(1))).unwrapped == .byte(1))
    }

    @Test("An argument of another type is refused, and the error names its position and both types")
    func mismatch() throws {
        let arguments: [Value] = [.string("a"), .uint32(7)]
        #expect(try arguments.decode(at: 1, as: UInt32.self) == 7)
        let wrong = #expect(throws: DBusError.self) { try arguments.decode(at: 1, as: String.self) }
        #expect(wrong?.message == "argument 1 is 'u', and 's' was expected")
        let missing = #expect(throws: DBusError.self) { try arguments.decode(at: 2, as: [UInt8].self) }
        #expect(missing?.message == "argument 2 is nothing, and 'ay' was expected")
    }

    @Test("An array of another declared type is refused even if it is empty")
    func emptyArray() {
        #expect([String](.array(of: .uint32, [])) == nil)
        #expect([UInt8](.array(of: .byte, [.byte(4)])) == [4])
        #expect([String: Value](.dictionary(key: .string, value: .string, [])) == nil)
    }
}
