import HandoffRadio
@testable import HandoffRadioSimulated
import TestLimits
import Testing

@Suite("A packet of the simulated air", .endsWithin(minutes: 10))
struct PacketTests {
    private let report = Report(
        sender: .random(),
        senderName: "desk",
        address: LinkAddress(bytes: [0xC0, 1, 2, 3, 4, 5]),
        rssi: -70,
        due: Instant(nanoseconds: 12_345_678_901),
        service: .test,
        data: [1, 2, 3]
    )

    @Test("is read back as it was written")
    func roundTrip() {
        #expect(Report(report.bytes) == report)
        let greeting = Greeting(
            station: report.sender,
            name: "desk",
            address: report.address,
            maximumMessageLength: 672,
            port: 0x85
        )
        #expect(Greeting(greeting.bytes) == greeting)
    }

    @Test("that is cut short is none")
    func truncated() {
        for length in 0..<report.bytes.count {
            #expect(Report(Array(report.bytes.prefix(length))) == nil)
        }
    }

    @Test("that is garbage is none")
    func garbage() {
        var generator = SystemRandomNumberGenerator()
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(Report(bytes) == nil)
            #expect(Greeting(bytes) == nil)
        }
    }

    @Test("file names say what they stand for, and others say nothing")
    func fileNames() {
        let id = StationID.random()
        let files: [StationFile] = [
            .life(id), .ear(id, name: "desk", number: 3), .door(id, address: report.address),
        ]
        for file in files { #expect(StationFile(fileName: file.fileName) == file) }
        for name in ["", ".", "..", "life", "0.life", "12345678.ear", "12345678.a.b.ear", "12345678.C0.door", "air"] {
            #expect(StationFile(fileName: name) == nil)
        }
    }
}
