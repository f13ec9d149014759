import AsyncSupport
@testable import HandoffDaemon
import HandoffRadio
import TestLimits
import Testing

@Suite("A channel of the radio that carries a stream", .endsWithin(minutes: 10))
struct RadioStreamChannelTests {
    @Test("A channel is silent while a reader has waited for longer than the limit, and not before or after")
    func silence() async throws {
        let silent = SilentChannel()
        let channel = RadioStreamChannel(silent, silenceLimit: .nanoseconds(-1))
        try channel.throwIfSilent()
        async let received = channel.receive()
        try await silent.isReading.value()
        #expect(throws: RadioError.self) { try channel.throwIfSilent() }
        silent.message.fulfil([7])
        #expect(try await received == [7])
        try channel.throwIfSilent()
    }

    @Test("A channel on which a reader has waited for a moment is not silent")
    func pause() async throws {
        let silent = SilentChannel()
        let channel = RadioStreamChannel(silent)
        async let received = channel.receive()
        try await silent.isReading.value()
        try channel.throwIfSilent()
        silent.message.fulfil([7])
        #expect(try await received == [7])
    }
}

/// A channel on which nothing comes until it is told.
private final class SilentChannel: RadioChannel {
    let peer = RadioAddress("C0:00:00:00:00:01/random")
    let maximumMessageLength = 100
    let isReading = Promise<Void>()
    let message = Promise<[UInt8]>()

    func send(_ message: [UInt8]) async throws(RadioError) {}

    func receive() async throws(RadioError) -> [UInt8]? {
        isReading.fulfil(())
        return await message.valueIgnoringCancellation()
    }
}
