import Foundation
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("handoffctl as a pipe between two devices", .endsWithin(minutes: 15, instances: 4))
struct PipeStories {
    @Test(
        "In one direction, a copy ends on both devices though the input of a reader stays open",
        arguments: [true, false]
    )
    func oneDirection(_ isPublisherWriting: Bool) async throws {
        try await World.runPair { world, laptop, desktop in
            let source = world.directory.appending(path: "source").path()
            let target = world.directory.appending(path: "target").path()
            try world.write(String(repeating: "Call me Ishmael.\n", count: 20_000), to: "source")
            let silence = try world.silentInput()
            let (sending, receiving) = ("< '\(source)'", "\(silence) > '\(target)'")
            let (there, here) = isPublisherWriting ? (sending, receiving) : (receiving, sending)
            let (publishing, streaming) = isPublisherWriting ? ("--send", "--receive") : ("--receive", "--send")
            try await laptop.offeringPipe(to: desktop, there, options: publishing) { publisher, _ in
                try await desktop.withShell("stream \(streaming)", here) { reader, _ in
                    #expect(await reader.exitStatus() == 0)
                    #expect(await reader.stderr.text() == "", "progress is for terminals")
                    #expect(await publisher.exitStatus() == 0)
                }
            }
            #expect(FileManager.default.contentsEqual(atPath: source, andPath: target))
        }
    }

    @Test("Data for a program that only sends are an error on both devices")
    func unexpectedData() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.offeringPipe(to: desktop, try world.silentInput(), options: "--send") { publisher, _ in
                try await desktop.withShell("stream", Device.endlessInput) { reader, _ in
                    #expect(await publisher.exitStatus() == 1)
                    #expect(await publisher.stderr.text().contains("--send has no use"))
                    #expect(await reader.exitStatus() == 1)
                }
            }
        }
    }

    @Test("A terminal shows how much of a file was sent")
    func progress() async throws {
        try await World.runPair { world, laptop, desktop in
            try world.write(String(repeating: "7", count: 100_000), to: "source")
            let file = world.directory.appending(path: "source").path()
            let line = laptop.shellCommand("publish --type \(Device.pipeType) --stream --send", "< '\(file)'")
            try await Terminal.run("/bin/bash", ["-c", line], environment: world.environment) { terminal in
                try await terminal.screen.line(containing: "waiting for another device to open the stream")
                try await desktop.watching { _ = try await $0.one() }
                let received = try await desktop.run("stream", "--receive")
                #expect(received.stdout.count == 100_000)
                try await terminal.screen.line(containing: "sent 100.0 kB of 100.0 kB (100 %)")
                #expect(await terminal.process.exitStatus() == 0)
            }
        }
    }

    @Test("With --wait, a reader that starts first gets the stream of an activity that appears later")
    func waiting() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.withShell("stream --wait --receive --type \(Device.pipeType)", "< /dev/null") {
                reader,
                output in
                try await laptop.withShell("publish --type \(Device.pipeType) --stream", "< <(echo hello)") {
                    writer,
                    _ in
                    try await output.line(containing: "hello")
                    #expect(await reader.exitStatus() == 0)
                    #expect(await writer.exitStatus() == 0)
                }
            }
        }
    }

    @Test("With --wait and a number, a reader gives up after so many seconds, as if there were no activity")
    func waitingInVain() async throws {
        try await World.run { world in
            try await world.withDevice("desktop") { desktop in
                #expect(try await desktop.run("stream", "--type", "org.example.pipe").status == 4)
                let late = try await desktop.run("stream", "--type", "org.example.pipe", "--wait", "1")
                #expect(late.status == 4)
                #expect(late.stderr.contains("No activity of type org.example.pipe appeared nearby within 1 s."))
            }
        }
    }

    @Test("A daemon that stops ends the commands that wait for a stream or for an activity")
    func daemonStops() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.offeringPipe(to: desktop, "< /dev/null") { publisher, _ in
                try await laptop.withShell("stream --wait", "< /dev/null") { reader, _ in
                    laptop.signal(SIGTERM)
                    #expect(await publisher.exitStatus() == 3)
                    #expect(await reader.exitStatus() == 3)
                }
            }
        }
    }
}
