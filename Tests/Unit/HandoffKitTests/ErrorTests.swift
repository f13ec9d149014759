import DBus
import Foundation
import HandoffBus
import TestLimits
import Testing

@testable import HandoffKit

@Suite("Failures are reported as CocoaError", .endsWithin(minutes: 10))
struct ErrorTests {
    @Test("Each error of the daemon keeps its name and message", arguments: HandoffErrorName.allCases)
    func names(name: HandoffErrorName) {
        let error = CocoaError(name.reply("Because."))
        #expect(error.handoffReason?.rawValue == name.rawValue)
        #expect(error.handoffMessage == "Because.")
        let isCancelled = [.cancelled, .userCancelled].contains(name)
        #expect(error.code == .userCancelled || !isCancelled)
        #expect(error.isUserActivityError || isCancelled)
    }

    @Test("Apple's four codes are Foundation's own")
    func codes() {
        #expect(CocoaError(.invalidTitle, "").code == CocoaError.userActivityHandoffFailed)
        #expect(CocoaError(.peerUnreachable, "").code == CocoaError.userActivityConnectionUnavailable)
        #expect(CocoaError(.timedOut, "").code == CocoaError.userActivityRemoteApplicationTimedOut)
        #expect(CocoaError(.payloadTooLarge, "").code == CocoaError.userActivityHandoffUserInfoTooLarge)
    }

    @Test("A missing daemon and a missing bus are a missing connection")
    func absence() {
        let unknown = DBusError(.remote, "no such service", name: .serviceUnknown)
        for error in [unknown, DBusError(.connectFailed, "no bus"), DBusError(.disconnected, "bus gone")] {
            #expect(CocoaError(error).handoffReason == .noDaemon)
            #expect(CocoaError(error).code == CocoaError.userActivityConnectionUnavailable)
        }
    }

    @Test("Errors of other origin have no Handoff reason")
    func others() {
        #expect(CocoaError(.fileNoSuchFile).handoffReason == nil)
        #expect(CocoaError(.fileNoSuchFile).handoffMessage == "")
    }
}
