import Bluetooth
import Epoll
import L2CAP
import SystemPackage
import Testing
import TestLimits

@Suite("An error of a Bluetooth socket", .endsWithin(minutes: 10))
struct L2CAPErrorTests {
    @Test(
        "is named by what it means while setting up",
        arguments: [
            (Errno.addressFamilyNotSupported, L2CAPError.Code.noBluetooth), (.protocolNotSupported, .noBluetooth),
            (.socketTypeNotSupported, .noBluetooth), (.noRouteToHost, .noAdapter), (.addressNotAvailable, .noAdapter),
            (.networkDown, .poweredOff), (.hostIsDown, .timedOut), (.permissionDenied, .notPermitted),
            (.notPermitted, .notPermitted),
            (.addressInUse, .portTaken), (.connectionRefused, .refused), (.timedOut, .timedOut),
            (.resourceBusy, .busy), (.connectionAbort, .transient), (.notSupportedOnSocket, .unsupported),
            (.connectionReset, .connectionLost), (.canceled, .cancelled), (.badFileDescriptor, .closed),
            (.noMemory, .unexpected),
        ]
    )
    func settingUp(_ errno: Errno, _ code: L2CAPError.Code) {
        #expect(L2CAPError(errno, during: .connect).code == code)
        #expect(L2CAPError(errno, during: .listen).code == code)
    }

    @Test("ENOSYS is the air's when connecting, and the kernel's before that")
    func noFunction() {
        #expect(L2CAPError(.noFunction, during: .connect).code == .transient)
        #expect(L2CAPError(.noFunction, during: .open).code == .unsupported)
        #expect(L2CAPError(.noFunction, during: .listen).code == .unsupported)
    }

    @Test(
        "is named by what it means on an open channel",
        arguments: [
            (Errno.connectionReset, L2CAPError.Code.connectionLost), (.timedOut, .connectionLost),
            (.connectionAbort, .connectionLost), (.noFunction, .connectionLost), (.brokenPipe, .closed),
            (.socketNotConnected, .closed), (.badFileDescriptor, .closed), (.canceled, .cancelled),
            (.messageTooLong, .messageTooLong), (.noMemory, .unexpected),
        ]
    )
    func transferring(_ errno: Errno, _ code: L2CAPError.Code) {
        #expect(L2CAPError(errno, during: .transfer).code == code)
    }

    @Test("says what was done, what went wrong, and what to do")
    func message() {
        let error = L2CAPError(.addressFamilyNotSupported, during: .listen)
        #expect(error.description.hasPrefix("Listening for Bluetooth channels failed: "))
        #expect(error.description.hasSuffix("use a kernel with CONFIG_BT_LE. (noBluetooth)"))
    }

    @Test("names the kernel without Bluetooth when that is what runs")
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

    @Test("is the same for a dial")
    func dialling() async throws {
        try await Reactor.withReactor { reactor in
            let nobody = L2CAPEndpoint(address: BluetoothAddress(number: 1, kind: .public), psm: LEPSM(lowSevenBits: 0))
            do throws(L2CAPError) {
                _ = try await L2CAPChannel.connect(to: nobody, timeout: .milliseconds(200), on: reactor)
                Issue.record("Somebody answered at \(nobody).")
            } catch {
                let expected: [L2CAPError.Code] = [.noBluetooth, .noAdapter, .timedOut, .transient]
                #expect(expected.contains(error.code), "\(error)")
            }
        }
    }
}
