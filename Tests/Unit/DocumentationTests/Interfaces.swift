import DBus
import HandoffBus
import HandoffModel

/// The interfaces of the daemon with handlers that do nothing, for tests of what the interfaces declare.
enum Interfaces {
    static let all: [Interface] = [
        .manager(NoManager()), .activity(NoActivity()),
        .nearbyActivity(
            { nothing },
            fetch: { _, _ in { throw NotServed() } },
            handOver: { _, _ in { throw NotServed() } },
            cancel: { _ in }
        ),
        .application(NoApplication()), .apps(NoApps()), .documents(NoDocuments()),
        .rules(NoRules()), .settings(NoSettings()), .pairing(NoPairing()), .pairingAgent(NoAgent()),
        .activityDelegate(NoDelegate()),
        .device(
            { noDevice },
            remove: {},
            consequences: { RemovalConsequences(orphaned: [], removed: []) },
            rename: { _ in }
        ),
    ]

    /// The part of an interface's name after the last dot, which names its page.
    static func page(of interface: Interface) -> String {
        interface.name.description.split(separator: ".").last.map(String.init) ?? ""
    }

    private struct NotServed: Error {}

    private static var nothing: NearbyActivityDescription { preconditionFailure("the properties are not read") }

    private static var noDevice: DeviceDescription { preconditionFailure("the properties are not read") }

    private struct NoManager: ManagerHandler {
        var version: String { "" }
        var protocolVersion: UInt32 { 0 }
        var deviceID: String { "" }
        var deviceName: String { "" }
        var radioState: String { "" }
        var radioMessage: String { "" }
        var advisories: [(name: String, message: String)] { [] }
        var scanning: ScanningDescription { ScanningDescription(nil) }
        var currentActivity: ObjectPath { .root }
        var card: String { "" }
        var questions: [DeviceQuestion] { [] }

        func createActivity(ofType type: String, _ draft: ActivityDraft, by client: BusName) throws -> ObjectPath {
            throw NotServed()
        }

        func trust(card: String) throws -> ObjectPath { throw NotServed() }
        func rename(to name: String) throws {}
        func keep(device id: String) throws {}
        func remove(device id: String) throws {}
        func leave() throws {}
        func startLooking(for client: BusName) throws {}
        func stopLooking(for client: BusName) {}
        func setFocus(_ process: UInt32?, by client: BusName) {}
        func openStream(continuation: String, by caller: Caller) -> @Sendable () async throws -> UnixFD {
            { throw CancellationError() }
        }
        func confirmStream(_ stream: UnixFD) throws -> UnixFD { throw NotServed() }
        func cancelStream(continuation: String, by client: BusName) {}
    }

    private struct NoPairing: PairingHandler {
        var unconfirmed: [UnconfirmedDevice] { [] }

        func pair(agent: ObjectPath, by client: BusName) throws {}
        func stop(by client: BusName) {}
        func forget(device: String) throws {}
    }

    private struct NoAgent: PairingAgent {
        func choose(_ candidates: [PairingCandidate]) async throws -> UInt64 { 0 }
        func confirm(_ digits: String, shownBy name: String, _ device: String) async throws -> Bool { false }
        func cancel(_ message: String) {}
        func paired(_ device: ObjectPath, named name: String) {}
        func failed(_ error: String, _ message: String) {}
    }

    private struct NoActivity: ActivityHandler {
        var type: String { "" }
        var draft: ActivityDraft { ActivityDraft() }
        var isCurrent: Bool { false }
        var encodedSize: Int { 0 }
        var documentProblem: String { "" }

        func update(by client: BusName, _ change: (inout ActivityDraft) throws -> Void) throws {}
        func setNeedsSave(_ needsSave: Bool, by client: BusName) throws {}
        func becomeCurrent(by client: BusName) throws {}
        func resignCurrent(by client: BusName) throws {}
        func invalidate(by client: BusName) throws {}
    }

    private struct NoApplication: ApplicationHandler {
        func willContinue(_ type: ActivityType, from device: String) async throws -> Bool { false }
        func `continue`(_ activity: FetchedActivity, from device: String) async throws -> Bool { false }
        func didFail(_ type: ActivityType, _ failure: ContinuationFailure) {}
    }

    private struct NoApps: AppsHandler {
        func checkDomains() {}

        var list: (apps: [AppDescription], faults: [AppFileFault]) { ([], []) }

        var confirmed: [(type: String, app: String)] { [] }

        func setDefault(_ app: String, for type: String) throws {}
        func removeConfirmed(_ type: String, for app: String) throws {}
    }

    private struct NoDocuments: DocumentsHandler {
        var folders: [FolderDescription] { [] }

        func addFolder(_ id: String, at path: String) throws {}
        func removeFolder(_ id: String) throws {}
        func locate(_ url: String) throws -> String { "" }
        func types(ofDocument url: String) throws -> (mediaType: String, activityTypes: [String]) { ("", []) }
    }

    private struct NoRules: RulesHandler {
        var isPaused: Bool { false }
        var pausedUntil: UInt64 { 0 }
        var isReceiveOnly: Bool { false }
        var rules: [RuleDescription] { [] }
        var withheld: [WithheldDescription] { [] }

        func pause(until end: UInt64) throws {}
        func resume() throws {}
        func setReceiveOnly(_ isReceiveOnly: Bool) throws {}
        func setRule(_ rule: RuleDescription) throws {}
        func removeRule(kind: String, value: String) throws {}
    }

    private struct NoSettings: SettingsHandler {
        var needRestart: [String] { [] }

        func reload() throws -> ReloadResult { throw NotServed() }
    }

    private struct NoDelegate: ActivityDelegate {
        func willSave(_ activity: ObjectPath) async throws {}
        func wasContinued(_ activity: ObjectPath, by device: ObjectPath, named name: String) {}
        func didFailToContinue(
            _ activity: ObjectPath,
            on device: ObjectPath,
            named name: String,
            _ error: String,
            _ message: String
        ) {}
        func didReceiveStream(_ stream: UnixFD, of activity: ObjectPath, from device: ObjectPath, named name: String) {}
    }
}
