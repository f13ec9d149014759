import AsyncSupport
import DBus
import HandoffRadio
import Logging
import TestLimits
import TestRuns
import Testing

@testable import HandoffRadioBlueZ

@Suite("A system bus that is not there", .endsWithin(minutes: 10))
struct AbsentBusTests {
    @Test("The radio says what is missing and how to get it")
    func message() async throws {
        let bus = BusAddress(argument: "unix:path=/nowhere/bus")
        let radio = BlueZRadio(bus: bus, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withBackgroundTasks([{ try await radio.run() }]) {
            await awaiting("the radio to try the bus") {
                for await case .unavailable(let error) in radio.states() where error.message.contains("/nowhere/bus") {
                    #expect(error.code == .serviceAbsent)
                    #expect(error.message.contains("`systemctl start dbus`"))
                    break
                }
            }
        }
    }
}
