import DBus
import HandoffBus
import HandoffCore
import HandoffModel
import Logging

/// Calls the apps that own activities through their `ActivityDelegate1`.
struct DelegateCaller: Sendable {
    let engine: Engine
    let connection: Connection
    let logger: Logger

    /// The time limit for an answer: far longer than any fetch waits, so that a slow app is not asked again in the
    /// meantime.
    private static let saveTimeout = Duration.seconds(60)

    /// The time limit for an app to accept a stream.
    private static let streamTimeout = Duration.seconds(10)

    /// A call whose answer is awaited.
    private enum Request: Sendable {
        case save(ActivityRegister.Record, SaveRequests.Request)
        case deliver(StreamDelivery)
    }

    private struct StreamDelivery: Sendable {
        let file: UnixFD
        let record: ActivityRegister.Record
        let device: DeviceID
        let name: String
        let ended: @Sendable (Bool) -> Void
    }

    private let requests: AsyncStream<Request>
    private let newRequests: AsyncStream<Request>.Continuation

    init(engine: Engine, connection: Connection, logger: Logger) {
        self.engine = engine
        self.connection = connection
        self.logger = logger
        (requests, newRequests) = AsyncStream.makeStream()
    }

    /// Calls apps until cancelled; the calls run concurrently.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await request in requests {
                group.addTask {
                    switch request {
                    case .save(let record, let saveRequest): await save(record, saveRequest)
                    case .deliver(let delivery): await deliver(delivery)
                    }
                }
            }
        }
    }

    /// Asks the owner of an activity to save, and reports the outcome to the engine.
    func willSave(_ record: ActivityRegister.Record, _ saveRequest: SaveRequests.Request) {
        newRequests.yield(.save(record, saveRequest))
    }

    /// Notifies the owner of an activity that a device continues it.
    func wasContinued(_ record: ActivityRegister.Record, by device: DeviceID, named name: String) {
        guard let delegate = record.delegate else { return }
        connection.send(
            .wasContinued(
                HandoffName.activity(record.id),
                by: HandoffName.device(device.description),
                named: name,
                of: record.owner,
                at: delegate
            )
        )
    }

    /// Passes the owner of an activity its end of a stream.
    ///
    /// - Parameters:
    ///   - file: the app's end.
    ///   - record: the activity.
    ///   - device: the device that opened the stream.
    ///   - name: the name of that device.
    ///   - ended: called with whether the app accepted the stream.
    func didReceiveStream(
        _ file: UnixFD,
        of record: ActivityRegister.Record,
        from device: DeviceID,
        named name: String,
        ended: @escaping @Sendable (Bool) -> Void
    ) {
        newRequests.yield(
            .deliver(StreamDelivery(file: file, record: record, device: device, name: name, ended: ended))
        )
    }

    private func save(_ record: ActivityRegister.Record, _ saveRequest: SaveRequests.Request) async {
        guard let delegate = record.delegate else {
            return engine.saveEnded(saveRequest, .failed)
        }
        do throws(DBusError) {
            let activity = HandoffName.activity(record.id)
            _ = try await connection.call(
                .willSave(activity, of: record.owner, at: delegate),
                timeout: Self.saveTimeout
            )
            engine.saveEnded(saveRequest, .saved)
        } catch {
            logger.notice(
                "an app did not save; its last saved state is sent: \(error.message)",
                metadata: [
                    "event": "save.failed", "type": "\(record.activity.type.rawValue)", "app": "\(record.owner)",
                ]
            )
            engine.saveEnded(saveRequest, .failed)
        }
    }

    private func deliver(_ delivery: StreamDelivery) async {
        let record = delivery.record
        guard let delegate = record.delegate else { return delivery.ended(false) }
        do throws(DBusError) {
            let call = MethodCall.didReceiveStream(
                delivery.file,
                of: HandoffName.activity(record.id),
                from: HandoffName.device(delivery.device.description),
                named: delivery.name,
                client: record.owner,
                at: delegate
            )
            _ = try await connection.call(call, timeout: Self.streamTimeout)
            delivery.ended(true)
        } catch {
            logger.notice(
                "an app did not accept a stream: \(error.message)",
                metadata: [
                    "event": "stream.rejected", "type": "\(record.activity.type.rawValue)", "app": "\(record.owner)",
                ]
            )
            delivery.ended(false)
        }
    }
}
