import DBus
import Foundation
import HandoffBus
import TestLimits
import Testing

@testable import HandoffKit

@Suite("What goes wrong is an error of Cocoa", .endsWithin(minutes: 10))
struct ErrorTests {
    @Test("each error of the daemon keeps its name and sentence", arguments: HandoffErrorName.allCases)
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

    @Test("a daemon that is not there, and a bus that is not, are no connection")
    func absence() {
        let unknown = DBusError(.remote, "no such service", name: .serviceUnknown)
        for error in [unknown, DBusError(.connectFailed, "no bus"), DBusError(.disconnected, "bus gone")] {
            #expect(CocoaError(error).handoffReason == .noDaemon)
            #expect(CocoaError(error).code == CocoaError.userActivityConnectionUnavailable)
        }
    }

    @Test("errors of other things have no reason of Handoff")
    func others() {
        #expect(CocoaError(.fileNoSuchFile).handoffReason == nil)
        #expect(CocoaError(.fileNoSuchFile).handoffMessage == "")
    }
}
