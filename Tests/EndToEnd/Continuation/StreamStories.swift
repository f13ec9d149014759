import DBus
import Epoll
import Foundation
import HandoffBus
import HandoffRadioSimulated
import HandoffTestSupport
import SystemPackage
import Testing
import TestLimits

@Suite("The apps at both ends of a continuation exchange bytes in streams", .endsWithin(minutes: 15, instances: 6))
struct StreamStories {
    @Test("Each end reads what the other writes, and the end of the stream when the other has finished")
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

    @Test("Several streams of one activity run at the same time without mixing their bytes")
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

    @Test("Streams of several devices are open at the same time, each with its own bytes and its own end")
    func severalDevices() async throws {
        try await StreamFixture.run { fixture in
            try await fixture.world.withDevice("tablet") { tablet in
                try await fixture.origin.trustEachOther(tablet)
                try await tablet.connected { receiver in
                    // Until each knows of the other, the origin advertises by turns for each alone, for up to 8 s, under an
                    // address that the other does not hear.
                    for client in [fixture.receiver, receiver] { try await client.waitForDevices(2) }
                    let continuation = try await receiver.take()
                    let other = fixture.continued(by: receiver, on: tablet.bus, as: continuation)
                    var ends: [(here: LocalStream, there: LocalStream)] = []
                    for device in [fixture, other, other, fixture] { ends.append(try await device.open()) }
                    for (number, end) in ends.enumerated() { try await end.here.write([UInt8(number)]) }
                    for (number, end) in ends.enumerated().reversed() {
                        #expect(try await end.there.read(atMost: 10) == [UInt8(number)])
                        try await end.there.write([UInt8(number), 0xFF])
                    }
                    // The end of one device's stream ends no other one.
                    for (number, end) in ends.enumerated() {
                        end.there.close()
                        #expect(try await end.here.readAll() == [UInt8(number), 0xFF])
                    }
                }
            }
        }
    }

    @Test("A writer waits after little unread data, and the reader gets everything once it reads")
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
            // Nothing is read here. Meanwhile another stream is used for as long as the whole transfer would take.
            let (ask, answer) = try await fixture.open()
            for _ in 0..<1000 {
                try await ask.write([1])
                #expect(try await answer.read(atMost: 1) == [1])
            }
            // Each device's local connection has a send and a receive buffer of at most 512 KiB each: 2.1 MB together, of
            // which the kernel's bookkeeping takes part. The window over the radio adds 32 KiB.
            #expect(taken.bytes < 2_500_000, "\(taken.bytes) bytes were accepted though none were read")
            let received = try await there.read(count: sent.count)
            try await writing
            #expect(received == sent)
        }
    }

    @Test("100 MB pass through a stream as through a pipe between two machines, and neither daemon's memory grows")
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
                    #expect(after - before < 8192, "the memory of a daemon has grown from \(before) to \(after) KiB")
                }
            }
        }
    }

    @Test("Files pass through handoffctl as pipes do, also into one that is appended to")
    func files() async throws {
        try await World.runPair { world, laptop, desktop in
            try world.setAir {
                $0.bandwidth = 1_000_000_000
                $0.delay = .zero
                $0.maximumMessageLength = 16384
            }
            let directory = world.directory.path()
            let script = { (text: String) in
                try await HandoffTestSupport.run("/bin/bash", ["-c", text], environment: world.environment)
            }
            _ = try await script("cd '\(directory)' && seq 200000 > question && seq 9 > answer && echo old > got")
            let publish =
                "\(Programs.handoffctl) publish --type org.example.pipe --stream --bus '\(laptop.bus.address)'"
            let command = "cd '\(directory)' && \(publish) < question > answered"
            try await withProgram("/bin/bash", ["-c", command], environment: world.environment) { publisher in
                async let end = publisher.stdout.text()
                try await desktop.watching { _ = try await $0.one() }
                let reader = "\(Programs.handoffctl) stream --bus '\(desktop.bus.address)' < answer >> got"
                #expect(try await script("cd '\(directory)' && \(reader)").stderr == "")
                _ = await end
            }
            let compared = try await script(
                "cd '\(directory)' && cmp got <(echo old; cat question) && cmp answered answer && echo equal"
            )
            #expect(compared.stdout == "equal\n")
        }
    }

    @Test("When the devices are out of reach of each other, both apps read an error and not an end")
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

    @Test("When a device is removed, its open streams end with an error")
    func removed() async throws {
        try await StreamFixture.run { fixture in
            let (here, there) = try await fixture.open()
            try await here.write([1])
            #expect(try await there.read(atMost: 1) == [1])
            let devices = try await fixture.origin.json("devices").array
            _ = try await fixture.origin.json("devices", "remove", "--yes", devices[0]["id"].string)
            await #expect(throws: Errno.connectionReset) { try await there.readAll() }
            await #expect(throws: Errno.connectionReset) { try await here.readAll() }
        }
    }

    @Test("When one of the daemons is killed, both apps read an error")
    func killed() async throws {
        try await StreamFixture.run { fixture in
            let (here, there) = try await fixture.open()
            fixture.origin.signal(SIGKILL)
            await #expect(throws: Errno.connectionReset) { try await here.readAll() }
            await #expect(throws: Errno.connectionReset) { try await there.readAll() }
        }
    }

    @Test("A writer gets an error when the reader has closed its end")
    func closed() async throws {
        try await StreamFixture.run { fixture in
            let (here, there) = try await fixture.open()
            there.close()
            await #expect(throws: Errno.self) {
                while true { try await here.write([UInt8](repeating: 0, count: 10_000)) }
            }
        }
    }

    @Test("A stream is refused with the reason if the activity has ended or the continuation is unknown")
    func refused() async throws {
        try await StreamFixture.run { fixture in
            try await fixture.publisher.invalidate(fixture.activity)
            let ended = await Result { try await fixture.receiver.openStream(fixture.continuation) }
            #expect(ended.errorName == "ContinuationEnded")
            #expect(ended.errorMessage.contains("laptop"))
            let nonsense = await Result { try await fixture.receiver.openStream("nonsense") }
            #expect(nonsense.errorName == "NoSuchActivity")
            let unknown = await Result { try await fixture.receiver.openStream("0123456789abcdef.7") }
            #expect(unknown.errorName == "UnknownDevice")
        }
    }

    @Test("What an app answers when it refuses a stream stays on its device")
    func rejected() async throws {
        try await StreamFixture.run { fixture in
            // Without its object, the app's answer has the object's path in it.
            fixture.publisher.connection.objects.remove(at: Editor.path)
            let refused = await Result { try await fixture.receiver.openStream(fixture.continuation) }
            #expect(refused.errorName == "PeerRefused")
            #expect(refused.errorMessage == "laptop refused: The app did not accept the stream.")
            try await fixture.origin.log.event("stream.rejected")
            #expect(fixture.origin.log.lines.contains { $0.contains(Editor.path.description) })
        }
    }

    @Test("An app that supports no streams offers none, and handoffctl stream fails with that reason")
    func unsupported() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                let entry = try await desktop.watchingOnce()
                let fetched = try await desktop.connected { try await $0.fetch(entry, for: .take) }
                #expect(fetched.continuation == nil)
                let result = try await desktop.run("stream")
                #expect(result.status == 1)
                #expect(result.stderr.contains("accepts no continuation streams"))
            }
        }
    }
}
