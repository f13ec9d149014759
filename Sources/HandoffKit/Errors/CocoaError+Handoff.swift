import DBus
public import FoundationEssentials
import HandoffBus
import HandoffModel
import SystemPackage

/// HandoffKit throws `CocoaError`, with Apple's codes for Handoff where they fit:
///
/// | code | in Foundation                          | meaning here                                               |
/// |------|----------------------------------------|------------------------------------------------------------|
/// | 4608 | `.userActivityHandoffFailed`           | any other failure                                          |
/// | 4609 | `.userActivityConnectionUnavailable`   | no connection: no daemon, no Bluetooth, device out of range |
/// | 4610 | `.userActivityRemoteApplicationTimedOut` | the other side did not answer in time                    |
/// | 4611 | `.userActivityHandoffUserInfoTooLarge` | userInfo is too large to be sent                           |
/// | 3072 | `.userCancelled`                       | the user or the program itself cancelled                   |
extension CocoaError {
    private static let reasonKey = "HandoffReason"
    private static let shownKey = "HandoffIsShownToUser"
    /// Foundation's `NSLocalizedDescriptionKey`.
    private static let descriptionKey = "NSLocalizedDescription"

    /// The reason for a failure of Handoff; nil for an error of another kind.
    public var handoffReason: HandoffReason? {
        (userInfo[Self.reasonKey] as? String).map(HandoffReason.init(rawValue:))
    }

    /// A sentence for the user that says what was wrong and what to do; empty for an error of another kind.
    public var handoffMessage: String {
        userInfo[Self.descriptionKey] as? String ?? ""
    }

    /// Whether the user sees this error without the app's doing: the program with which they have chosen the activity
    /// shows it.
    public var isShownToUser: Bool { userInfo[Self.shownKey] as? Bool ?? false }

    /// Creates the error of an activity that does not come.
    init(_ failure: ContinuationFailure) {
        let plain = CocoaError(errorName: failure.error, failure.message)
        self.init(plain.code, userInfo: plain.userInfo.merging([Self.shownKey: failure.isShown]) { _, shown in shown })
    }

    init(_ reason: HandoffReason, _ message: String) {
        self.init(Self.code(of: reason), userInfo: [Self.reasonKey: reason.rawValue, Self.descriptionKey: message])
    }

    /// Creates an error from the D-Bus name and the message of an error of the daemon.
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

    /// Creates an error from an error of a stream's socket.
    init(stream error: Errno) {
        guard error != .canceled else {
            self.init(.userCancelled, "The task that used the stream was cancelled.")
            return
        }
        self.init(.streamBroken, "The stream broke (\(error)); data may be missing. Open a new one.")
    }

    /// Converts any error; one that is a `CocoaError` already stays as it is.
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

    /// The Cocoa code of a reason.
    ///
    /// The numbers are those of FoundationErrors.h: CocoaError's names for them are in Foundation, not in
    /// FoundationEssentials.
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
