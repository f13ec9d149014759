import AsyncSupport
import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import TestLimits
import TestRuns
import Testing

@testable import HandoffDaemon

@Suite("A dial for which somebody waits goes before one that can be made later", .endsWithin(minutes: 10))
struct DialPrecedenceTests {
    private static let one = RadioAddress("C0:00:00:00:00:01/random")
    private static let other = RadioAddress("C0:00:00:00:00:02/random")

    @Test("A dial to a device that has gone is interrupted while another device is dialled, and made again after that")
    func interrupted() async throws {
        try await EngineWorld.runReady { world, gone in
            let radio = DialRecordingRadio()
            let dialer = PeerDialer(engine: world.engine, radio: radio)
            let near = try Peer("phone")
            try await withBackgroundTasks([{ try await Self.dial(gone, at: Self.one, .deferrable, by: dialer) }]) {
                try await radio.dials.wait(for: "the first dial") { $0 == [Self.one] }
                try await withBackgroundTasks([{ try await Self.dial(near, at: Self.other, .awaited, by: dialer) }]) {
                    try await radio.ends.wait(for: "the interruption") { $0 == [Self.one] }
                    try await radio.dials.wait(for: "the other dial") { $0 == [Self.one, Self.other] }
                }
                try await radio.dials.wait(for: "the repetition") { $0 == [Self.one, Self.other, Self.one] }
            }
        }
    }

    @Test("A dial that can be made later waits for those to other devices, and not for those to the same one")
    func waiting() async throws {
        let (one, other) = (try Peer("laptop").device.id, try Peer("phone").device.id)
        let precedence = DialPrecedence()
        let (first, second) = (precedence.begin(to: other), precedence.begin(to: other))
        try await awaiting("the turn of the same device") { try await precedence.waitForTurn(of: other) }
        first.end()
        first.end()
        try await awaiting("the precedence of the second dial") { try await precedence.waitUntilPreceded(one) }
        let same = precedence.begin(to: one)
        try await awaiting("the turn that an own dial gives") { try await precedence.waitForTurn(of: one) }
        same.end()
        second.end()
        try await awaiting("the turn at the end") { try await precedence.waitForTurn(of: one) }
    }

    private static func dial(
        _ peer: Peer,
        at address: RadioAddress,
        _ urgency: DialUrgency,
        by dialer: PeerDialer
    ) async throws {
        try await dialer.withChannel(to: peer.target(at: address), urgency, unless: { false }, { _ in })
    }
}
