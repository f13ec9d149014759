import Epoll
import Glibc
import SystemPackage
import TestLimits
import Testing

/// Each test has signals of its own: a process has one handler for each.
@Suite("A stream of signals has those that this process gets", .endsWithin(minutes: 10))
struct SignalStreamTests {
    @Test("Each signal comes with its number, also one that came before somebody waited")
    func numbers() async throws {
        try await Reactor.withReactor { reactor in
            let signals = try SignalStream([SIGUSR1, SIGUSR2], on: reactor)
            for signal in [SIGUSR2, SIGUSR1, SIGUSR1] {
                #expect(kill(getpid(), signal) == 0)
                #expect(try await signals.next() == signal)
            }
        }
    }

    @Test("Waiting ends when the task is cancelled, and later signals still come")
    func cancelled() async throws {
        try await Reactor.withReactor { reactor in
            let signals = try SignalStream([SIGWINCH], on: reactor)
            let waiting = Task { try await signals.next() }
            waiting.cancel()
            await #expect(throws: Errno.canceled) { try await waiting.value }
            #expect(kill(getpid(), SIGWINCH) == 0)
            #expect(try await signals.next() == SIGWINCH)
        }
    }

    @Test("The signals have their usual effect again when the stream is gone")
    func released() async throws {
        try await Reactor.withReactor { reactor in
            _ = try SignalStream([SIGURG], on: reactor)
            var action = sigaction()
            sigaction(SIGURG, nil, &action)
            #expect(action.__sigaction_handler.sa_handler == nil)
        }
    }
}
