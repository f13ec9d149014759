import Bluetooth
import BlueZ
import Epoll
import SystemPackage
import Testing
import TestLimits

@Suite("Errors of Bluetooth sockets", .endsWithin(minutes: 10))
struct L2CAPErrorTests {
    @Test(
        "An error during the setup has the code of its meaning there",
        arguments: [
            (Errno.addressFamilyNotSupported, L2CAPError.Code.noBluetooth), (.protocolNotSupported, .noBluetooth),
            (.socketTypeNotSupported, .noBluetooth), (.noRouteToHost, .noAdapter), (.addressNotAvailable, .noAdapter),
            (.networkDown, .poweredOff), (.hostIsDown, .timedOut), (.permissionDenied, .notPermitted),
            (.notPermitted, .notPermitted),
            (.addressInUse, .portTaken), (.connectionRefused, .refused), (.timedOut, .timedOut),
            (.resourceBusy, .busy), (.connectionAbort, .transient), (.notSupportedOnSocket, .unsupported),
            (.connectionReset, .connectionLost), (.socketNotConnected, .connectionLost), (.canceled, .cancelled),
            (.badFileDescriptor, .closed),
            (.noMemory, .unexpected),
        ]
    )
    func settingUp(_ errno: Errno, _ code: L2CAPError.Code) {
        #expect(L2CAPError(errno, during: .connect).code == code)
        #expect(L2CAPError(errno, during: .listen).code == code)
    }

    @Test("ENOSYS is an error of the air interface while connecting, and one of the kernel before that")
    func noFunction() {
        #expect(L2CAPError(.noFunction, during: .connect).code == .transient)
        #expect(L2CAPError(.noFunction, during: .open).code == .unsupported)
        #expect(L2CAPError(.noFunction, during: .listen).code == .unsupported)
    }

    @Test("A refusal by the kernel's timer is a time-out, and one before that is the peer's")
    func timer() {
        let limit = Duration.seconds(1)
        #expect(L2CAPError(.connectionRefused, connectingFor: limit, limit: limit).code == .timedOut)
        #expect(L2CAPError(.connectionRefused, connectingFor: .milliseconds(999), limit: limit).code == .refused)
        #expect(L2CAPError(.networkDown, connectingFor: limit, limit: limit).code == .poweredOff)
    }

    @Test(
        "An error of an open channel has the code of its meaning there",
        arguments: [
            (Errno.connectionReset, L2CAPError.Code.connectionLost), (.timedOut, .connectionLost),
            (.connectionAbort, .connectionLost), (.noFunction, .connectionLost), (.brokenPipe, .closed),
            (.socketNotConnected, .closed), (.badFileDescriptor, .closed), (.canceled, .cancelled),
            (.messageTooLong, .connectionLost), (.noMemory, .unexpected),
        ]
    )
    func transferring(_ errno: Errno, _ code: L2CAPError.Code) {
        #expect(L2CAPError(errno, during: .transfer).code == code)
    }

    @Test("The message has the operation, the failure and the remedy")
    func message() {
        let error = L2CAPError(.addressFamilyNotSupported, during: .listen)
        #expect(error.description.hasPrefix("Listening for Bluetooth channels failed: "))
        #expect(error.description.hasSuffix("use a kernel with CONFIG_BT_LE. (noBluetooth)"))
    }

    @Test("Listening fails with noBluetooth on a kernel without Bluetooth")
    func thisKernel() async throws {
        try await Reactor.withReactor { reactor in
            do throws(L2CAPError) {
                let listener = try L2CAPListener(reactor: reactor)
                // With Bluetooth: the kernel chose the multiplexer.
                #expect((0x80...0xFF).contains(listener.psm.number))
            } catch {
                #expect(error.code == .noBluetooth)
            }
        }
    }

    @Test("Connecting fails with the same error as listening")
    func dialling() async throws {
        try await Reactor.withReactor { reactor in
            let absent = L2CAPEndpoint(address: BluetoothAddress(number: 1, kind: .public), psm: LEPSM(lowFiveBits: 0))
            do throws(L2CAPError) {
                _ = try await L2CAPChannel.connect(to: absent, timeout: .milliseconds(200), on: reactor)
                Issue.record("A peer answered at \(absent).")
            } catch {
                let expected: [L2CAPError.Code] = [.noBluetooth, .noAdapter, .timedOut, .transient]
                #expect(expected.contains(error.code), "\(error)")
            }
        }
    }
}
