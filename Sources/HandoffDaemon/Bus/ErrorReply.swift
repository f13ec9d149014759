import DBus
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio

/// Returns the D-Bus error reply for an error.
@Sendable func errorReply(to error: any Error) -> any Error {
    switch error {
    case let error as HandoffError: HandoffErrorName(error.code).reply(error.message)
    case let error as ModelError: HandoffErrorName(error.code).reply(error.message)
    case let error as RadioError: errorReply(to: HandoffError(error))
    case let error as CryptoError: HandoffErrorName.invalidCard.reply(error.message)
    case is CancellationError: HandoffErrorName.cancelled.reply("The daemon is stopping.")
    default: error
    }
}

extension HandoffErrorName {
    /// The D-Bus name for an error of the core.
    init(_ code: HandoffError.Code) {
        self =
            switch code {
            case .limitReached: .limitReached
            case .noSuchActivity: .noSuchActivity
            case .notOwner: .notOwner
            case .noLongerCurrent: .noLongerCurrent
            case .unknownDevice: .unknownDevice
            case .deviceRemoved: .deviceRemoved
            case .ownCard: .ownCard
            case .invalidCard: .invalidCard
            case .peerUnreachable: .peerUnreachable
            case .peerRefused: .peerRefused
            case .notTrusted: .notTrusted
            case .timedOut: .timedOut
            case .userCancelled: .userCancelled
            case .notContinuable: .notContinuable
            case .appFailed: .appFailed
            case .noSuchApp: .noSuchApp
            case .documentNotShared: .documentNotShared
            case .documentMissing: .documentMissing
            case .documentIsProgram: .documentIsProgram
            case .noSuchFolder: .noSuchFolder
            case .invalidDocument: .invalidDocument
            case .notPaired: .notPaired
            case .unconfirmed: .unconfirmed
            case .radioUnavailable: .radioUnavailable
            case .noBluetoothService: .noBluetoothService
            case .noAdapter: .noAdapter
            case .bluetoothOff: .bluetoothOff
            case .bluetoothBlocked: .bluetoothBlocked
            case .streamsNotSupported: .streamsNotSupported
            case .continuationEnded: .continuationEnded
            case .paused: .paused
            case .denied: .denied
            case .noSuchRule: .noSuchRule
            case .invalidSettings: .invalidSettings
            case .stateUnwritable: .stateUnwritable
            case .stateUnreadable, .stateDamaged: .stateUnreadable
            default: .peerMisbehaved
            }
    }
}
