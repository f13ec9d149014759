import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite("A user who interrupts a pairing is told the truth", .endsWithin(minutes: 15, instances: 6))
struct PairingInterruptionStories {
    @Test("Interrupted after one's own yes, it waits until the other device has answered")
    func afterOwnYes() async throws {
        try await World.runUnpaired { _, laptop, desktop in
            try await laptop.pairing { one in
                try await desktop.pairing { other in
                    _ = (try await one.digits(), try await other.digits())
                    let heard = laptop.heard
                    other.type("yes")
                    try await other.screen.line(containing: "Waiting for the answer on laptop")
                    _ = try await laptop.log.first { _ in laptop.heard > heard ? true : nil }
                    kill(other.process.processID, SIGINT)
                    try await other.screen.line(containing: "You have answered already")
                    try await other.screen.line(containing: "You have stopped the pairing; nothing was paired")
                    #expect(await other.process.exitStatus() == 130)
                    try await one.screen.line(containing: "The pairing was stopped on desktop")
                    #expect(await one.process.exitStatus() == 1)
                }
            }
            #expect(try await laptop.trusts().isEmpty)
            #expect(try await desktop.trusts().isEmpty)
        }
    }

    @Test("Interrupted after one's own yes while the other device is silent, it exits with status 5 the second time")
    func silentPeer() async throws {
        try await World.runUnpaired { _, laptop, desktop in
            try await laptop.pairing { one in
                try await desktop.pairing { other in
                    _ = (try await one.digits(), try await other.digits())
                    laptop.signal(SIGSTOP)
                    other.type("yes")
                    try await other.screen.line(containing: "Waiting for the answer on laptop")
                    try await desktop.showsUnconfirmed("laptop")
                    kill(other.process.processID, SIGINT)
                    try await other.screen.line(containing: "You have answered already")
                    kill(other.process.processID, SIGINT)
                    try await other.screen.line(containing: "You have answered, and laptop has not")
                    #expect(await other.process.exitStatus() == 5)
                    laptop.signal(SIGCONT)
                }
            }
        }
    }

    @Test("Right after a pairing was interrupted, the next one begins, and succeeds")
    func pairAgain() async throws {
        try await World.runUnpaired { _, laptop, desktop in
            try await desktop.pairing { first in
                try await first.screen.line(containing: "Searching")
                kill(first.process.processID, SIGINT)
                #expect(await first.process.exitStatus() == 130)
            }
            try await desktop.pairing { other in
                try await laptop.pairing { one in
                    #expect(try await one.digits() == other.digits())
                    one.type("yes")
                    other.type("yes")
                    try await one.screen.line(containing: "Paired with desktop")
                    try await other.screen.line(containing: "Paired with laptop")
                }
            }
            #expect(try await laptop.trusts() == ["desktop trusted"])
        }
    }
}
