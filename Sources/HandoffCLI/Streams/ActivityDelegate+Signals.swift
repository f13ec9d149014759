import DBus
import HandoffBus

/// What the activities of this program need not be told: they are saved as they are published, and the signals of the
/// activity tell the rest.
extension ActivityDelegate {
    func willSave(_ activity: ObjectPath) async throws {}

    func wasContinued(_ activity: ObjectPath, by device: ObjectPath, named name: String) {}

    func didFailToContinue(
        _ activity: ObjectPath,
        on device: ObjectPath,
        named name: String,
        _ error: String,
        _ message: String
    ) {}
}
