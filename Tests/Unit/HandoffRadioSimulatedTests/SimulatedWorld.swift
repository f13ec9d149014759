import Bluetooth
import Glibc
import HandoffRadio
import HandoffRadioConformance
import HandoffRadioSimulated

/// Two simulated radios in an air of their own.
struct SimulatedWorld: RadioWorld {
    var air = Air()

    let hasPowerSwitch = true

    func withRadios(_ body: (SimulatedRadio, SimulatedRadio) async throws -> Void) async throws {
        try await withAir(air) { directory in
            let first = SimulatedRadio(directory: directory, name: "first")
            let second = SimulatedRadio(directory: directory, name: "second")
            try await body(first, second)
        }
    }

    func setPower(_ isOn: Bool, ofSecond radio: SimulatedRadio) async throws {
        var air = air
        if !isOn { air.off = [radio.name] }
        try air.write(to: radio.directory)
    }
}

/// Runs `body` with a directory with that air, and removes the directory afterwards.
func withAir<Success>(_ air: Air = Air(), _ body: (String) async throws -> Success) async throws -> Success {
    var template = Array("/tmp/handoff-air-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw RadioError(.unusable, "No directory can be made in /tmp.") }
    let directory = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    try air.write(to: directory)
    defer {
        // Only empty directories are removed, which reveals a file that a station has left behind.
        for name in ["/air", "/stations", ""] { remove(directory + name) }
    }
    return try await body(directory)
}

/// Runs stations of those names for as long as `body` runs, from when all of them are ready.
func withStations(
    _ names: [String],
    in directory: String,
    _ body: @escaping @Sendable ([SimulatedRadio]) async throws -> Void
) async throws {
    let radios = names.map { SimulatedRadio(directory: directory, name: $0) }
    try await withReadyRadios(radios) { try await body(radios) }
}

extension Advertisement {
    /// An advertisement of one byte, and of the service that these tests look for.
    static func test(_ byte: UInt8, _ pace: Pace = .fast) -> Advertisement {
        Advertisement(service: .test, data: [byte], pace: pace)
    }
}

extension BluetoothUUID {
    static let test = BluetoothUUID(number: 0x0a6dc9a1_58ee_4f39_9d1c_6e4f5ea19a01)
}

extension SimulatedRadio {
    /// The first advertisement report with that byte.
    func advertisementReport(of byte: UInt8) async throws -> AdvertisementReport {
        try await withScan(for: [.test]) { reports in
            for await report in reports where report.data == [byte] { return report }
            throw RadioError(.scanningRefused, "The scan ended.")
        }
    }
}
