package import HandoffRadio

/// An environment in which radios are checked: two radios of one kind in range of each other.
package protocol RadioWorld: Sendable {
    associatedtype TestedRadio: Radio

    /// Runs `body` with two new radios in range of each other, switched on. The requirements call `run()` themselves.
    func withRadios(_ body: (TestedRadio, TestedRadio) async throws -> Void) async throws

    /// Whether ``setPower(_:ofSecond:)`` works; otherwise requirements that need it are reported as skipped.
    var hasPowerSwitch: Bool { get }

    /// Switches the second of the two radios on or off, from outside; it does not have to wait for the effect.
    func setPower(_ isOn: Bool, ofSecond radio: TestedRadio) async throws
}
