import DBus
import Epoll
import Glibc
@testable import HandoffDaemon
import HandoffBus
import HandoffWire
import SystemPackage
import Testing
import TestLimits

@Suite("Only a receipt tells an app that uses receipts that all has arrived", .endsWithin(minutes: 10))
struct StreamReceiptTests {
    @Test("The other device is told that all has arrived when the app says so, and not when its socket has it")
    func taken() async throws {
        try await RelayScene.runWithReceipts { app, receipts, peer in
            try peer.send(.data([7]))
            try peer.send(.end)
            #expect(try await app.read(atMost: 9) == [7])
            #expect(try await app.read(atMost: 9) == [])
            try app.finishWriting()
            #expect(try await peer.next() == .end)
            // What the relay sends from time to time may come meanwhile; what it must not send would come first.
            try receipts.send()
            #expect(try await peer.next() == .arrived)
            try peer.send(.arrived)
            #expect(try await receipts.receive())
        }
    }

    @Test("An app that leaves without its receipt breaks the stream, although it has finished and read the end")
    func left() async throws {
        let pieces = try await RelayScene.runWithReceipts { app, receipts, peer in
            try peer.send(.end)
            try app.finishWriting()
            #expect(try await app.read(atMost: 9) == [])
            #expect(try await peer.next() == .end)
            receipts.close()
        }
        #expect(!pieces.contains(.arrived))
    }

    @Test("An app reads the other end at once, though it has finished before, and no receipt until all has arrived")
    func early() async throws {
        try await RelayScene.runWithReceipts { app, receipts, peer in
            try await app.write([1])
            try app.finishWriting()
            #expect(try await peer.next() == .data([1]))
            #expect(try await peer.next() == .end)
            try peer.send(.end)
            #expect(try await app.read(atMost: 9) == [])
            try receipts.send()
            #expect(try await peer.next() == .arrived)
            peer.lose()
            #expect(try await receipts.receive() == false)
        }
    }

    @Test("The side that called gives its receipt after the other side's, and its app learns of that at once")
    func caller() async throws {
        try await RelayScene.runWithReceipts(isCaller: true) { app, receipts, peer in
            try await app.write([1])
            try peer.send(.end)
            try app.finishWriting()
            #expect(try await peer.next() == .data([1]))
            #expect(try await peer.next() == .end)
            try peer.send(.arrived)
            #expect(try await receipts.receive())
            try receipts.send()
            #expect(try await peer.next() == .arrived)
        }
    }

    @Test("A device that confirms an end which was not sent breaks the stream, and confirms nothing to the app")
    func untrue() async throws {
        try await RelayScene.runWithReceipts { _, receipts, peer in
            try peer.send(.end)
            try peer.send(.arrived)
            #expect(try await receipts.receive() == false)
        }
        try await RelayScene.run { app, peer in
            try peer.send(.end)
            try peer.send(.arrived)
            await #expect(throws: (any Error).self) {
                while true { try await app.write([UInt8](repeating: 0, count: 10_000)) }
            }
        }
    }

    @Test("Receipts are begun once, before the app has finished, for a stream that is open, and by its own end")
    func beginning() async throws {
        try await Reactor.withReactor { reactor in
            let streams = AppStreams(on: reactor)
            let (end, forApp) = try await streams.connect()
            _ = try streams.beginReceipts(of: forApp)
            #expect(refusal { try streams.beginReceipts(of: forApp) } == .noSuchStream)
            let (finished, forOther) = try await streams.connect()
            finished.receipt.appHasFinished()
            #expect(refusal { try streams.beginReceipts(of: forOther) } == .noSuchStream)
            let (_, stranger) = try await AppStreams(on: reactor).connect()
            #expect(refusal { try streams.beginReceipts(of: stranger) } == .noSuchStream)
            let file = try memoryFile(named: "no socket", with: [1])
            let number = file.rawValue
            let copy = try systemCall { dup(number) }
            #expect(refusal { try streams.beginReceipts(of: UnixFD(taking: copy)) } == .noSuchStream)
            withExtendedLifetime(end) {}
        }
    }

    @Test("The receipts of a stream that has ended are of no more use")
    func ended() async throws {
        try await Reactor.withReactor { reactor in
            let streams = AppStreams(on: reactor)
            let forApp = try await streams.connect().forApp
            #expect(refusal { try streams.beginReceipts(of: forApp) } == .noSuchStream)
        }
    }

    private func refusal(_ body: () throws -> UnixFD) -> HandoffErrorName? {
        do {
            _ = try body()
            return nil
        } catch {
            return HandoffErrorName((error as? DBusError)?.name)
        }
    }
}
