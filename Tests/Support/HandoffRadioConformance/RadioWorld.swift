package import HandoffRadio

/// Where a radio is put to the test: two of a kind, near each other.
package protocol RadioWorld: Sendable {
    associatedtype TestedRadio: Radio

    /// Lends two fresh radios within reach of each other, switched on; the promises call `run()` themselves.
    func withRadios(_ body: (TestedRadio, TestedRadio) async throws -> Void) async throws

    /// Whether ``setPower(_:ofSecond:)`` works here; promises that need it are skipped, aloud, where it does not.
    var hasPowerSwitch: Bool { get }

    /// Switches the second of the two radios on or off, from outside; it need not wait for the effect.
    func setPower(_ isOn: Bool, ofSecond radio: TestedRadio) async throws
}
