import DBus
import Epoll
import Foundation
import HandoffBus
import HandoffRadioSimulated
import HandoffTestSupport
import LocalStream
import SystemPackage
import TestLimits
import Testing

@Suite("An app that continues talks with the one that began", .endsWithin(minutes: 15, instances: 4))
struct StreamStories {
    @Test("both ends read what the other writes, and an end when it has finished, each in its own time")
    func bothWays() async throws {
        try await StreamFixture.run { fixture in
            let (here, there) = try await fixture.open()
            try await here.write(Array("ask".utf8))
            try here.finishWriting()
            #expect(try await there.readAll() == Array("ask".utf8))
            try await there.write(Array("answer".utf8))
            there.close()
            #expect(try await here.readAll() == Array("answer".utf8))
        }
    }

    @Test("several streams of one activity run at once, and none mixes with another")
    func several() async throws {
        try await StreamFixture.run { fixture in
            var ends: [(here: LocalStream, there: LocalStream)] = []
            for _ in 0..<5 { ends.append(try await fixture.open()) }
            for (number, end) in ends.enumerated() { try await end.here.write([UInt8(number)]) }
            for (number, end) in ends.enumerated().reversed() {
                #expect(try await end.there.read(atMost: 10) == [UInt8(number)])
                try await end.there.write([UInt8(number), 0xFF])
                end.there.close()
            }
            for (number, end) in ends.enumerated() {
                #expect(try await end.here.readAll() == [UInt8(number), 0xFF])
            }
        }
    }

    @Test("who does not read makes the writer wait after little, and gets everything when it does")
    func backPressure() async throws {
        try await StreamFixture.run { fixture in
            try fixture.world.setAir {
                $0.bandwidth = 100_000_000
                $0.delay = .zero
            }
            let (here, there) = try await fixture.open()
            let sent = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 >> 10) }
            let taken = Progress()
            async let writing: Void = here.writeInPieces(sent, progress: taken)
            // Nobody reads; another stream goes on meanwhile, for as long as all of it would take.
            let (ask, answer) = try await fixture.open()
            for _ in 0..<1000 {
                try await ask.write([1])
                #expect(try await answer.read(atMost: 1) == [1])
            }
            #expect(taken.bytes < 2_000_000, "\(taken.bytes) bytes were taken though nobody read")
            let received = try await there.read(count: sent.count)
            try await writing
            #expect(received == sent)
        }
    }

    @Test("100 MB go through, as a pipe between two machines, and neither daemon grows")
    func pipe() async throws {
        try await World.runPair { world, laptop, desktop in
            try world.setAir {
                $0.bandwidth = 1_000_000_000
                $0.delay = .zero
                $0.maximumMessageLength = 16384
            }
            let source = "yes 'from one machine to another' | head -c 100000000"
            let command =
                "\(source) | \(Programs.handoffctl) publish --type org.example.pipe --stream --bus '\(laptop.bus.address)'"
            try await withProgram("/bin/bash", ["-c", command], environment: world.environment) { publisher in
                async let answer = publisher.stdout.text()
                try await desktop.watching { _ = try await $0.one() }
                let before = [try laptop.residentKilobytes, try desktop.residentKilobytes]
                let reader = "echo thanks | \(Programs.handoffctl) stream --bus '\(desktop.bus.address)' | cksum"
                let result = try await HandoffTestSupport.run(
                    "/bin/bash",
                    ["-c", reader],
                    environment: world.environment
                )
                let expected = try await HandoffTestSupport.run("/bin/bash", ["-c", "\(source) | cksum"])
                #expect(result.stdout == expected.stdout)
                #expect(result.stdout.contains(" 100000000"))
                #expect(await answer == "thanks\n")
                let after = [try laptop.residentKilobytes, try desktop.residentKilobytes]
                for (before, after) in zip(before, after) {
                    #expect(after - before < 8192, "a daemon has grown from \(before) to \(after) KiB")
                }
            }
        }
    }

    @Test("when the radio is cut, both apps read an error, and never an end")
    func cut() async throws {
        try await StreamFixture.run { fixture in
            let (here, there) = try await fixture.open()
            try await here.write([1, 2, 3])
            #expect(try await there.read(atMost: 3) == [1, 2, 3])
            try fixture.world.setAir { $0.apart = [["laptop"], ["desktop"]] }
            await #expect(throws: Errno.connectionReset) { try await here.readAll() }
            await #expect(throws: Errno.connectionReset) { try await there.readAll() }
        }
    }

    @Test("when a device is removed, what it has open ends with an error")
    func removed() async throws {
        try await StreamFixture.run { fixture in
            let (here, there) = try await fixture.open()
            try await here.write([1])
            #expect(try await there.read(atMost: 1) == [1])
            let devices = try await fixture.origin.json("devices").array
            _ = try await fixture.origin.json("devices", "remove", devices[0]["id"].string)
            await #expect(throws: Errno.connectionReset) { try await there.readAll() }
            await #expect(throws: Errno.connectionReset) { try await here.readAll() }
        }
    }

    @Test("when the daemon of one side is killed, both apps read an error")
    func killed() async throws {
        try await StreamFixture.run { fixture in
            let (here, there) = try await fixture.open()
            fixture.origin.signal(SIGKILL)
            await #expect(throws: Errno.connectionReset) { try await here.readAll() }
            await #expect(throws: Errno.connectionReset) { try await there.readAll() }
        }
    }

    @Test("an app that closes its end while the other still writes gives that one an error")
    func closed() async throws {
        try await StreamFixture.run { fixture in
            let (here, there) = try await fixture.open()
            there.close()
            await #expect(throws: Errno.self) {
                while true { try await here.write([UInt8](repeating: 0, count: 10_000)) }
            }
        }
    }

    @Test("a stream to an activity that has ended, or whose app takes none, or to nothing, is refused with the reason")
    func refused() async throws {
        try await StreamFixture.run { fixture in
            try await fixture.began.invalidate(fixture.activity)
            let ended = await Result { try await fixture.continues.openStream(fixture.continuation) }
            #expect(ended.errorName == "ContinuationEnded")
            #expect(ended.errorMessage.contains("laptop"))
            let nonsense = await Result { try await fixture.continues.openStream("nonsense") }
            #expect(nonsense.errorName == "NoSuchActivity")
            let stranger = await Result { try await fixture.continues.openStream("0123456789abcdef.7") }
            #expect(stranger.errorName == "UnknownDevice")
        }
    }

    @Test("an app that takes no streams offers none")
    func unsupported() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                let entry = try await desktop.watchingOnce()
                let fetched = try await desktop.connected { try await $0.fetch(entry) }
                #expect(fetched.continuation == nil)
                let result = try await desktop.run("stream")
                #expect(result.status == 1)
                #expect(result.stderr.contains("accepts no continuation streams"))
            }
        }
    }
}
