import BlueZ
import DBus
import HandoffRadio

extension RadioError {
    /// Maps an error of bluetoothd to a radio error.
    ///
    /// - Parameter refusal: the code for a request that bluetoothd refused without a known reason.
    init(_ error: BlueZError, refusal: Code) {
        let code: Code =
            switch error.code {
            case .serviceAbsent, .serviceRestarted, .busLost: .serviceAbsent
            case .accessDenied: .notPermitted
            case .adapterAbsent: .noAdapter
            case .poweredOff: .poweredOff
            case .blocked: .blocked
            case .invalidAdvertisement: .invalidAdvertisement
            case .busy: .busy
            default: refusal
            }
        self.init(code, error.message)
    }

    /// Maps an error of a Bluetooth socket to a radio error.
    ///
    /// - Parameter refusal: the code for a request that the kernel refused for a reason other than the radio's state.
    init(_ error: L2CAPError, refusal: Code) {
        let code: Code =
            switch error.code {
            case .noBluetooth, .noAdapter: .noAdapter
            case .poweredOff: .poweredOff
            case .notPermitted: .notPermitted
            case .refused: .refused
            case .timedOut, .busy, .transient: .timedOut
            case .connectionLost, .closed, .cancelled: .channelClosed
            case .messageTooLong: .messageTooLong
            default: refusal
            }
        self.init(code, error.message)
    }
}

/// Runs `work` and maps the errors of the layers below to radio errors.
///
/// Cancellation is thrown as `CancellationError`; other errors pass unchanged.
func mappingToRadioError<Success>(
    refusal: RadioError.Code,
    isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws -> Success
) async throws -> Success {
    do {
        return try await work()
    } catch let error as BlueZError {
        if error.code == .cancelled { throw CancellationError() }
        throw RadioError(error, refusal: refusal)
    } catch let error as DBusError {
        if error.code == .cancelled { throw CancellationError() }
        throw RadioError(.serviceAbsent, "the connection to the system bus failed: \(error.message)")
    } catch let error as L2CAPError {
        if error.code == .cancelled { throw CancellationError() }
        throw RadioError(error, refusal: refusal)
    }
}
