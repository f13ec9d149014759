import HandoffCrypto
import HandoffRadio
import HandoffRadioSimulated
import Synchronization
import TestRuns

/// Many strangers who open channels to one device, hold them for as long as they may, and come again.
final class Crowd: Sendable {
    /// How many radios the crowd shares: each opens one channel at a time.
    private static let radios = 4

    private let opened = Mutex(0)
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    private init() {
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    /// Runs `body` while `count` strangers besiege the device of that card.
    static func run(
        _ count: Int,
        at card: CardText,
        in directory: String,
        _ body: @escaping @Sendable (Crowd) async throws -> Void
    ) async throws {
        let crowd = Crowd()
        let radios = (0..<radios).map { SimulatedRadio(directory: directory, name: "crowd\($0)") }
        try await withRadios(radios) {
            let door = try await Stranger.door(of: card, with: radios[0])
            let strangers: [@Sendable () async throws -> Void] = (0..<count).map { number in
                {
                    while !Task.isCancelled { await crowd.hold(door, with: radios[number % radios.count]) }
                }
            }
            try await withServices(strangers) { try await body(crowd) }
        }
    }

    /// Waits until that many channels were opened.
    func channels(_ count: Int) async throws {
        for await _ in arrivals where opened.withLock({ $0 }) >= count { return }
        throw CancellationError()
    }

    private func hold(_ door: (RadioAddress, ChannelPort), with radio: SimulatedRadio) async {
        try? await radio.withChannel(to: door.0, port: door.1, timeout: .seconds(10)) { channel in
            opened.withLock { $0 += 1 }
            arrival.yield(())
            while try await channel.receive() != nil {}
        }
    }
}
