import DBus
import HandoffBus
import HandoffCore
import HandoffModel
import Logging

/// Calls the apps of activities through their `ActivityDelegate1`.
struct DelegateCaller: Sendable {
    let engine: Engine
    let connection: Connection
    let logger: Logger

    /// How long an answer is waited for: far longer than any fetch does, so that an app that is late is not asked again
    /// meanwhile.
    private static let patience = Duration.seconds(60)

    private struct Request: Sendable {
        let record: ActivityRegister.Record
        let round: SaveRounds.Round
    }

    private let requests: AsyncStream<Request>
    private let newRequests: AsyncStream<Request>.Continuation

    init(engine: Engine, connection: Connection, logger: Logger) {
        self.engine = engine
        self.connection = connection
        self.logger = logger
        (requests, newRequests) = AsyncStream.makeStream()
    }

    /// Asks apps to save until cancelled; no app waits for another.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await request in requests {
                group.addTask { await carryOut(request) }
            }
        }
    }

    /// Has the owner of an activity asked to save, and the engine told how that ended.
    func willSave(_ record: ActivityRegister.Record, _ round: SaveRounds.Round) {
        newRequests.yield(Request(record: record, round: round))
    }

    /// Tells the owner of an activity that a device goes on with it.
    func wasContinued(_ record: ActivityRegister.Record, by device: DeviceID, named name: String) {
        guard let (owner, delegate) = Self.place(of: record) else { return }
        connection.send(
            .wasContinued(
                HandoffName.activity(record.id),
                by: HandoffName.device(device.description),
                named: name,
                of: owner,
                at: delegate
            )
        )
    }

    private func carryOut(_ request: Request) async {
        guard let (owner, delegate) = Self.place(of: request.record) else {
            return engine.saveEnded(request.round, .failed)
        }
        do throws(DBusError) {
            let activity = HandoffName.activity(request.record.id)
            _ = try await connection.call(.willSave(activity, of: owner, at: delegate), timeout: Self.patience)
            engine.saveEnded(request.round, .saved)
        } catch {
            logger.notice(
                "an app did not save, and what it saved before goes out: \(error.message)",
                metadata: ["type": "\(request.record.activity.type.rawValue)", "app": "\(owner)"]
            )
            engine.saveEnded(request.round, .failed)
        }
    }

    private static func place(of record: ActivityRegister.Record) -> (BusName, ObjectPath)? {
        guard let owner = try? BusName(record.owner), let path = record.delegate, let delegate = try? ObjectPath(path)
        else { return nil }
        return (owner, delegate)
    }
}
