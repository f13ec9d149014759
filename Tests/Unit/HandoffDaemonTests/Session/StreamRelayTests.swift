import HandoffCore
@testable import HandoffDaemon
import Epoll
import HandoffWire
import SystemPackage
import Testing
import TestLimits

@Suite("The relay of a stream passes on an end only where the writer has finished", .endsWithin(minutes: 10))
struct StreamRelayTests {
    @Test("An app that has finished reads an error if the channel breaks before its bytes have arrived")
    func unconfirmed() async throws {
        try await RelayScene.run { app, peer in
            try await app.write([1, 2, 3])
            try app.finishWriting()
            #expect(try await peer.next() == .data([1, 2, 3]))
            #expect(try await peer.next() == .end)
            try peer.send(.end)
            peer.lose()
            await #expect(throws: Errno.connectionReset) { try await app.read(atMost: 1) }
        }
    }

    @Test("An app that has finished reads the end once its bytes have arrived")
    func confirmed() async throws {
        try await RelayScene.run { app, peer in
            try app.finishWriting()
            #expect(try await peer.next() == .end)
            try peer.send(.data([7]))
            try peer.send(.end)
            #expect(try await peer.next() == .arrived)
            try peer.send(.arrived)
            #expect(try await app.read(atMost: 9) == [7])
            #expect(try await app.read(atMost: 9) == [])
        }
    }

    @Test("An app that has not finished reads the end at once, so that it can answer")
    func question() async throws {
        try await RelayScene.run { app, peer in
            try peer.send(.data([7]))
            try peer.send(.end)
            #expect(try await app.read(atMost: 9) == [7])
            #expect(try await app.read(atMost: 9) == [])
            try await app.write([8])
            try app.finishWriting()
            #expect(try await peer.next() == .data([8]))
            #expect(try await peer.next() == .end)
            #expect(try await peer.next() == .arrived)
        }
    }

    @Test("An app that dies while both directions are in use never sends an end")
    func death() async throws {
        for _ in 0..<100 {
            let pieces = try await RelayScene.run { app, peer in
                try await app.write([1])
                _ = try await peer.next()
                app.reset()
                for _ in 0..<20 { try? peer.send(.data([2])) }
            }
            #expect(!pieces.contains(.end))
        }
    }

    @Test("Four pieces are in transit over the radio, and the next one is sent when the other device has taken one")
    func window() async throws {
        try await RelayScene.run { app, peer in
            for number in 0..<6 as Range<UInt8> {
                try await app.write([number])
                guard number < 4 else { continue }
                #expect(try await peer.next() == .data([number]))
            }
            // It would have sent the fifth one before it passes this on.
            try peer.send(.data([9]))
            #expect(try await app.read(atMost: 9) == [9])
            #expect(try await peer.nextOfAny() == .taken)
            try peer.send(.taken)
            // What the app has written meanwhile is one piece.
            #expect(try await peer.next() == .data([4, 5]))
        }
    }

    @Test("An app that does not read does not hold up what it writes")
    func writer() async throws {
        let bytes = [UInt8](repeating: 7, count: 2 * 1024 * 1024)
        try await RelayScene.run { app, peer in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await app.write(bytes) }
                for _ in 0..<StreamWindow.pieces { try peer.send(Self.fullPiece) }
                var count = 0
                while count < bytes.count {
                    switch try await peer.nextOfAny() {
                    case .data(let piece):
                        count += piece.count
                        try peer.send(.taken)
                    // Fills what the app does not read, until no more is taken.
                    case .taken: try peer.send(Self.fullPiece)
                    default: Issue.record("another piece")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("A device that sends more than is taken ends the stream")
    func excess() async throws {
        try await RelayScene.run { app, peer in
            for _ in 0..<200 { try peer.send(Self.fullPiece) }
            await #expect(throws: Errno.connectionReset) {
                // What came before the error may be read first.
                while try await !app.read(atMost: 65_536).isEmpty {}
            }
        }
    }

    @Test("A device that takes what was not sent ends the stream")
    func taking() async throws {
        try await RelayScene.run { app, peer in
            try peer.send(.taken)
            await #expect(throws: Errno.connectionReset) { try await app.read(atMost: 1) }
        }
    }

    private static let fullPiece = StreamPiece.data([UInt8](repeating: 1, count: StreamPiece.maximumDataBytes))
}
