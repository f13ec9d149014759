import AsyncSupport
import HandoffCore
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("A program that may wait tells what it does, or is ended", .endsWithin(minutes: 10))
struct WaitingProgramTests {
    private let running = RunningProgram()
    private let closing = Promise<Void>()

    private func response(within limit: Duration = .seconds(600)) async throws -> Continuation.Response {
        try await AppDelivery.response(of: "waiting", running, closing, within: limit)
    }

    @Test("A program that has not told in time has given up, and is ended")
    func untold() async throws {
        guard case .gaveUp(let reason) = try await response(within: .milliseconds(50)) else {
            return #expect(Bool(false))
        }
        #expect(reason.contains("is ended"))
        #expect(running.stopping.valueIfSet != nil)
    }

    @Test("A program that has told is left alone, however it ends", arguments: [0, 1, 65, 66, 69, 75, 143] as [Int32])
    func ended(status: Int32) async throws {
        running.end.fulfil(status)
        #expect(try await response() == Continuation.Response(of: "waiting", status: status, isEarly: true))
        #expect(running.stopping.valueIfSet == nil)
    }

    @Test("A program that closes its input goes on, and is left alone")
    func closed() async throws {
        closing.fulfil(())
        #expect(try await response() == .accepted)
        #expect(running.stopping.valueIfSet == nil)
    }

    @Test("A program that closes its input, and refuses right after that, has refused")
    func refused() async throws {
        closing.fulfil(())
        running.end.fulfil(65)
        guard case .refused = try await response() else { return #expect(Bool(false)) }
    }
}
