@testable import HandoffRadioSimulated
import TestLimits
import Testing

@Suite("Simulated airs", .endsWithin(minutes: 10))
struct AirTests {
    @Test("An air is the same after it was written and read")
    func roundTrip() throws {
        var air = Air()
        air.loss = 0.25
        air.delay = .milliseconds(30)
        air.bandwidth = 5000
        air.maximumMessageLength = 100
        air.supervisionTimeout = .milliseconds(700)
        air.floor = -80
        air.seed = 7
        air.off = ["desk", "phone"]
        air.apart = [["desk", "phone"], ["lamp"]]
        air.signals = [Air.Pair("desk", "phone"): -70]
        air.positions = ["desk": Air.Position(x: 1, y: -2.5)]
        #expect(try Air(text: air.description) == air)
        #expect(try Air(text: "") == Air())
    }

    @Test("The text of an air may have comments, blank lines and any spaces")
    func notation() throws {
        let air = try Air(text: "# calm\n\n  loss\t0.5   # half\noff a\noff b\n")
        #expect(air.loss == 0.5)
        #expect(air.off == ["a", "b"])
    }

    @Test(
        "An invalid line is refused, with its number",
        arguments: [
            "loss", "loss 1", "loss -0.1", "loss nan", "loss x", "delay 1001", "delay -1", "bandwidth 999", "mtu 22",
            "mtu 65536", "floor 21", "supervision 9", "seed -1", "off", "apart", "rssi a b", "rssi a b -200",
            "position a 1", "position a inf 0", "colour red", "loss 0.1 0.2",
        ]
    )
    func refused(_ line: String) {
        let error = #expect(throws: AirTextError.self) { try Air(text: "\n" + line) }
        #expect(error?.line == 2)
        #expect(error?.description.contains(line) == true)
    }

    @Test("An air connects stations that are near, and none that are far, off or apart")
    func links() {
        var air = Air()
        air.positions = ["a": Air.Position(x: 0, y: 0), "b": Air.Position(x: 6, y: 8), "c": Air.Position(x: 100, y: 0)]
        // Ten metres: 20 dB less than at one.
        #expect(air.link(from: "a", to: "b")?.rssi == -79)
        #expect(air.link(from: "a", to: "stranger")?.rssi == -59)
        #expect(air.link(from: "a", to: "c") == nil)
        air.signals = [Air.Pair("c", "a"): -50]
        #expect(air.link(from: "a", to: "c")?.rssi == -50)
        air.apart = [["a"], ["b", "c"]]
        #expect(air.link(from: "a", to: "c") == nil)
        #expect(air.link(from: "b", to: "stranger") != nil)
        air.off = ["stranger"]
        #expect(air.link(from: "b", to: "stranger") == nil)
        #expect(air.link(from: "stranger", to: "b") == nil)
    }

    @Test("Random numbers with a seed are the same each time, and differ for each station")
    func seeds() {
        let one = Randomness(seed: 1, station: "a").bytes(8)
        #expect(Randomness(seed: 1, station: "a").bytes(8) == one)
        #expect(Randomness(seed: 1, station: "b").bytes(8) != one)
        #expect(Randomness(seed: 2, station: "a").bytes(8) != one)
        #expect(Randomness(seed: nil, station: "a").bytes(8) != one)
    }
}
