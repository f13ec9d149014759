import DBus
import HandoffBus
import HandoffCore
import HandoffModel
import HandoffWire
import Logging

/// Calls the apps that own activities through their `ActivityDelegate1`.
struct DelegateCaller: Sendable {
    let engine: Engine
    let connection: Connection

    /// The time limit for an answer: far longer than any fetch waits, so that a slow app is not asked again in the
    /// meantime.
    private static let saveTimeout = Duration.seconds(60)

    /// The time limit for an app to accept a stream.
    private static let streamTimeout = Duration.seconds(10)

    /// A save request whose answer is awaited.
    private typealias Request = (record: ActivityRegister.Record, saveRequest: SaveRequests.Request)

    private let requests: AsyncStream<Request>
    private let newRequests: AsyncStream<Request>.Continuation

    init(engine: Engine, connection: Connection) {
        self.engine = engine
        self.connection = connection
        (requests, newRequests) = AsyncStream.makeStream()
    }

    /// Calls apps until cancelled; the calls run concurrently.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await request in requests {
                group.addTask { await save(request.record, request.saveRequest) }
            }
        }
    }

    /// Asks the owner of an activity to save, and reports the outcome to the engine.
    func willSave(_ record: ActivityRegister.Record, _ saveRequest: SaveRequests.Request) {
        newRequests.yield((record, saveRequest))
    }

    /// Notifies the owner of an activity that something on a device goes on with it.
    func wasContinued(
        _ record: ActivityRegister.Record,
        by device: DeviceID,
        named name: String,
        in kind: TakeOutcome.Kind
    ) {
        guard let delegate = record.delegate else { return }
        connection.send(
            .wasContinued(
                HandoffName.activity(record.id),
                by: HandoffName.device(device.description),
                named: name,
                in: kind.name,
                of: record.owner,
                at: delegate
            )
        )
    }

    /// Notifies the owner of an activity that a device received it, and that nothing there goes on with it.
    func didFailToContinue(
        _ record: ActivityRegister.Record,
        on device: DeviceID,
        named name: String,
        _ reason: TakeOutcome.Reason
    ) {
        guard let delegate = record.delegate else { return }
        connection.send(
            .didFailToContinue(
                HandoffName.activity(record.id),
                on: HandoffName.device(device.description),
                named: name,
                HandoffErrorName(reason),
                reason.message(about: name),
                of: record.owner,
                at: delegate
            )
        )
    }

    /// Gives the owner of an activity its end of a stream, and waits until it has accepted it.
    ///
    /// - Throws: ``HandoffError`` with `peerRefused` and the reason when it does not accept it.
    func deliver(_ stream: Engine.IncomingStream) async throws(HandoffError) {
        let record = stream.activity
        guard let delegate = record.delegate else {
            throw HandoffError(.peerRefused, "The app of the activity accepts no streams any more.")
        }
        do throws(DBusError) {
            let call = MethodCall.didReceiveStream(
                stream.file,
                of: HandoffName.activity(record.id),
                from: HandoffName.device(stream.device.description),
                named: stream.deviceName,
                client: record.owner,
                at: delegate
            )
            _ = try await connection.call(call, timeout: Self.streamTimeout)
        } catch {
            engine.peerLog.log(
                "stream.rejected",
                at: .notice,
                "an app did not accept a stream: \(error.message)",
                metadata: ["type": "\(record.activity.type.rawValue)", "app": "\(record.owner)"]
            )
            throw HandoffError(.peerRefused, Self.words(of: error))
        }
    }

    /// Returns what the other device is told about an app's refusal: the app's words if it has named the error itself.
    ///
    /// The errors of its D-Bus library may have paths of this computer in them, as those of an uncaught exception have.
    private static func words(of error: DBusError) -> String {
        let isOwn = error.name.map { !$0.description.hasPrefix("org.freedesktop.DBus.") } ?? false
        return isOwn ? error.message : "The app did not accept the stream."
    }

    private func save(_ record: ActivityRegister.Record, _ saveRequest: SaveRequests.Request) async {
        guard let delegate = record.delegate else {
            return engine.activities.saveEnded(saveRequest, .failed)
        }
        do throws(DBusError) {
            let activity = HandoffName.activity(record.id)
            _ = try await connection.call(
                .willSave(activity, of: record.owner, at: delegate),
                timeout: Self.saveTimeout
            )
            engine.activities.saveEnded(saveRequest, .saved)
        } catch {
            engine.peerLog.log(
                "save.failed",
                at: .notice,
                "an app did not save; its last saved state is sent: \(error.message)",
                metadata: ["type": "\(record.activity.type.rawValue)", "app": "\(record.owner)"]
            )
            engine.activities.saveEnded(saveRequest, .failed)
        }
    }
}
