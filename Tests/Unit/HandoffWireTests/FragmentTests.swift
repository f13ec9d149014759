import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Fragments", .endsWithin(minutes: 10))
struct FragmentTests {
    @Test("A message is reassembled from its fragments", arguments: [0, 1, 14, 15, 16, 30, 31, 1000])
    func roundTrip(count: Int) throws {
        var random = SeededRandom(seed: 5)
        let message = random.bytes(count)
        let fragments = MessageFragmenter(fragmentBytes: 16).fragments(of: message)
        #expect(fragments.count == max(1, (count + 14) / 15))
        #expect(fragments.allSatisfy { (1...16).contains($0.count) })
        var assembler = MessageAssembler(maximumLength: 1000)
        for fragment in fragments.dropLast() { #expect(try assembler.append(fragment) == nil) }
        #expect(try assembler.append(fragments[fragments.count - 1]) == message)
        #expect(try assembler.append([0, 7]) == [7])
    }

    @Test(
        "Data that is not a fragment is refused",
        arguments: [[], [2], [0xFF, 1], [1]] as [[UInt8]]
    )
    func malformed(fragment: [UInt8]) throws {
        var assembler = MessageAssembler(maximumLength: 10)
        let error = #expect(throws: WireError.self) { try assembler.append(fragment) }
        #expect(error?.code == .invalidFragment)
        #expect(throws: try #require(error)) { try assembler.append([0, 1]) }
    }

    @Test("A message that grows beyond the limit is refused")
    func tooLarge() throws {
        var assembler = MessageAssembler(maximumLength: 10)
        #expect(try assembler.append([1] + [UInt8](repeating: 0, count: 10)) == nil)
        let error = #expect(throws: WireError.self) { try assembler.append([0, 1]) }
        #expect(error?.code == .tooLarge)
    }
}
