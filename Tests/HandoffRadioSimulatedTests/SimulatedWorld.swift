import Glibc
import HandoffRadioConformance
import HandoffRadioSimulated

/// Two simulated radios in an air of their own.
struct SimulatedWorld: RadioWorld {
    let hasPowerSwitch = true

    func withRadios(_ body: (SimulatedRadio, SimulatedRadio) async throws -> Void) async throws {
        try await withAir { directory in
            let first = SimulatedRadio(directory: directory, name: "first")
            let second = SimulatedRadio(directory: directory, name: "second")
            try await body(first, second)
        }
    }

    func setPower(_ isOn: Bool, ofSecond radio: SimulatedRadio) async throws {
        var air = Air()
        if !isOn { air.off = ["second"] }
        try air.write(to: radio.directory)
    }
}

/// Lends an empty directory and removes it afterwards.
func withAir<Success>(_ body: (String) async throws -> Success) async throws -> Success {
    var template = Array("/tmp/handoff-air-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CancellationError() }
    let directory = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
        for name in ["/air", "/stations", ""] {
            remove(directory + name)
        }
    }
    return try await body(directory)
}
