import Bluetooth
import HandoffRadio
@testable import HandoffRadioSimulated
import TestLimits
import Testing

@Suite("Packets of the simulated air", .endsWithin(minutes: 10))
struct PacketTests {
    private let report = PacketTests.report(from: "desk")

    private static func report(from name: String) -> AdvertisementPacket {
        AdvertisementPacket(
            sender: .random(),
            senderName: name,
            address: BluetoothAddress(number: 0xC001_0203_0405, kind: .random),
            rssi: -70,
            due: Instant(nanoseconds: 12_345_678_901),
            service: .test,
            data: [1, 2, 3]
        )
    }

    private func message(from name: String) -> ConnectMessage {
        ConnectMessage(
            station: report.sender,
            name: name,
            address: report.address,
            maximumMessageLength: 672,
            port: LEPSM(exactly: 0x85)
        )
    }

    @Test("A packet is decoded as it was encoded")
    func roundTrip() {
        #expect(AdvertisementPacket(report.bytes) == report)
        #expect(ConnectMessage(message(from: "desk").bytes) == message(from: "desk"))
    }

    @Test("A packet of a station has a name of 1 to 32 letters, digits, - and _")
    func names() {
        for name in ["a", "A-z_9", String(repeating: "x", count: 32)] {
            #expect(AdvertisementPacket(Self.report(from: name).bytes)?.senderName == name)
            #expect(ConnectMessage(message(from: name).bytes)?.name == name)
        }
        for name in ["", String(repeating: "x", count: 33), "../../x", "a\nb", "a.b", "ü"] {
            #expect(AdvertisementPacket(Self.report(from: name).bytes) == nil)
            #expect(ConnectMessage(message(from: name).bytes) == nil)
        }
    }

    @Test("A truncated packet is refused")
    func truncated() {
        for length in 0..<report.bytes.count {
            #expect(AdvertisementPacket(Array(report.bytes.prefix(length))) == nil)
        }
    }

    @Test("Random bytes are not a packet")
    func garbage() {
        var generator = SystemRandomNumberGenerator()
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(AdvertisementPacket(bytes) == nil)
            #expect(ConnectMessage(bytes) == nil)
        }
    }

    @Test("The file names of a station are parsed, and other names are ignored")
    func fileNames() {
        let id = StationID.random()
        let files: [StationFile] = [
            .lock(id), .scanSocket(id, name: "desk", number: 3), .channelSocket(id, address: report.address),
        ]
        for file in files { #expect(StationFile(fileName: file.fileName) == file) }
        for name in ["", ".", "..", "life", "0.life", "12345678.ear", "12345678.a.b.ear", "12345678.C0.door", "air"] {
            #expect(StationFile(fileName: name) == nil)
        }
    }
}
