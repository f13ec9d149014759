import DBus
public import FoundationEssentials
import HandoffBus
import HandoffModel
import SystemPackage

/// What HandoffKit throws is a `CocoaError`, with Apple's codes for Handoff where there is one:
///
/// | code | in Foundation                          | meaning here                                               |
/// |------|----------------------------------------|------------------------------------------------------------|
/// | 4608 | `.userActivityHandoffFailed`           | everything else                                            |
/// | 4609 | `.userActivityConnectionUnavailable`   | no connection: no daemon, no Bluetooth, nobody in range    |
/// | 4610 | `.userActivityRemoteApplicationTimedOut` | the other side has not answered in time                  |
/// | 4611 | `.userActivityHandoffUserInfoTooLarge` | userInfo has more than can be handed over                  |
/// | 3072 | `.userCancelled`                       | the person, or the program itself, went on with other things |
extension CocoaError {
    private static let reasonKey = "HandoffReason"
    /// Foundation's `NSLocalizedDescriptionKey`.
    private static let descriptionKey = "NSLocalizedDescription"

    /// Why something of Handoff failed; nil where the error is of something else.
    public var handoffReason: HandoffReason? {
        (userInfo[Self.reasonKey] as? String).map(HandoffReason.init(rawValue:))
    }

    /// What was wrong and what to do, as a sentence for a person; empty where the error is of something else.
    public var handoffMessage: String {
        userInfo[Self.descriptionKey] as? String ?? ""
    }

    init(_ reason: HandoffReason, _ message: String) {
        self.init(Self.code(of: reason), userInfo: [Self.reasonKey: reason.rawValue, Self.descriptionKey: message])
    }

    /// An error of the daemon, as its name and sentence came to an app.
    init(errorName: String, _ message: String) {
        let name = errorName.split(separator: ".").last.map(String.init) ?? errorName
        self.init(HandoffReason(rawValue: name), message)
    }

    init(_ error: DBusError) {
        if HandoffErrorName(error.name) != nil, let name = error.name {
            self.init(errorName: name.description, error.message)
            return
        }
        switch error.code {
        case .cancelled: self.init(.userCancelled, error.message)
        case .timedOut: self.init(.timedOut, error.message)
        case .nameTaken, .nameLost: self.init(.nameTaken, error.message)
        case .invalidValue: self.init(.invalidUserInfo, error.message)
        case .remote where !(error.indicatesAbsentService || error.name == .noReply):
            self.init(errorName: error.name?.description ?? "", error.message)
        default: self.init(.noDaemon, "handoffd cannot be reached: \(error.message)")
        }
    }

    init(_ error: ModelError) {
        self.init(errorName: HandoffErrorName(error.code).rawValue, error.message)
    }

    /// What a socket of a stream said.
    init(stream error: Errno) {
        guard error != .canceled else {
            self.init(.userCancelled, "The task that used the stream was cancelled.")
            return
        }
        self.init(.streamBroken, "The stream broke (\(error)): something may be missing. Open a new one.")
    }

    /// Any error as one of these.
    init(any error: any Error) {
        switch error {
        case let error as CocoaError: self = error
        case let error as DBusError: self.init(error)
        case let error as ModelError: self.init(error)
        case let error as Errno: self.init(stream: error)
        case is CancellationError: self.init(.userCancelled, "The task was cancelled.")
        default: self.init(HandoffReason(rawValue: "Failed"), "\(error)")
        }
    }

    /// The numbers of FoundationErrors.h: CocoaError's names for them are in Foundation, not in FoundationEssentials.
    private static func code(of reason: HandoffReason) -> Code {
        switch reason {
        case .userCancelled, HandoffReason(rawValue: "Cancelled"): .userCancelled
        case .timedOut, HandoffReason(rawValue: "AppFailed"): Code(rawValue: 4610)
        case .payloadTooLarge: Code(rawValue: 4611)
        case .peerUnreachable, .noDaemon, .streamBroken, HandoffReason(rawValue: "NoBluetoothService"),
            HandoffReason(rawValue: "NoAdapter"), HandoffReason(rawValue: "BluetoothOff"),
            HandoffReason(rawValue: "BluetoothBlocked"), HandoffReason(rawValue: "RadioUnavailable"):
            Code(rawValue: 4609)
        default: Code(rawValue: 4608)
        }
    }
}
