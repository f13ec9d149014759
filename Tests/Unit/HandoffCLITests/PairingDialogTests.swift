import DBus
import HandoffBus
import TestLimits
import Testing

@testable import HandoffCLI

@Suite("The dialog of a pairing at a terminal", .endsWithin(minutes: 10))
struct PairingDialogTests {
    private static func candidate(_ number: UInt64, _ name: String, _ device: String) -> PairingCandidate {
        PairingCandidate(number: number, name: name, device: device)
    }

    @Test("A choice among no devices is an error of the caller, and the dialog goes on")
    func noCandidates() async throws {
        let (events, newEvents) = AsyncStream.makeStream(of: PairingDialog.Event.self)
        let agent = PairingDialog.Agent(events: newEvents)
        let error = await #expect(throws: DBusError.self) { try await agent.choose([]) }
        #expect(error?.name == .invalidArgs)
        newEvents.finish()
        for await event in events { Issue.record("the user was asked: \(event)") }
    }

    @Test("Devices of one name are shown with the first digits of their ids, others by their names")
    func titles() {
        let candidates = [
            Self.candidate(1, "laptop", "0123456789abcdef"), Self.candidate(2, "desk", "1111111111111111"),
            Self.candidate(3, "laptop", "fedcba9876543210"),
        ]
        #expect(PairingDialog.titles(of: candidates) == ["laptop (01234567)", "desk", "laptop (fedcba98)"])
        // Names that look the same once control characters are replaced.
        let alike = [Self.candidate(1, "a\u{1B}", "0000000000000000"), Self.candidate(2, "a\u{7}", "2222222222222222")]
        #expect(PairingDialog.titles(of: alike) == ["a· (00000000)", "a· (22222222)"])
    }
}
