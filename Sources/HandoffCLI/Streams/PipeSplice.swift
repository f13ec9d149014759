private import CLinux
import Epoll
import SystemPackage

/// Moves bytes between a pipe and a nonblocking socket inside the kernel (splice(2)): none is copied into this process.
struct PipeSplice {
    /// Whether one of the two is a pipe, as far as is known.
    private(set) var isPossible = true

    private let input: CInt
    private let output: CInt
    private var hasGrownPipes = false

    /// The most bytes of one call: more than a pipe usually holds.
    private static let callBytes = 1024 * 1024
    /// The least that a pipe is made to hold: with the 64 KiB of the default, two programs take turns four times as often.
    private static let pipeBytes: CInt = 256 * 1024

    init(from input: CInt, to output: CInt) {
        self.input = input
        self.output = output
    }

    /// Moves what is there; returns how much, 0 at the end of the input, and nil if neither is a pipe.
    ///
    /// The first call makes a pipe hold 256 KiB, if it holds less and the limits of pipe(7) admit it.
    ///
    /// - Throws: the error of either descriptor, `EAGAIN` where the input is empty or the output full.
    mutating func move() throws(Errno) -> Int? {
        growPipes()
        do throws(Errno) {
            return try systemCall { splice(input, nil, output, nil, Self.callBytes, 0) }
        } catch .invalidArgument {
            // Neither is a pipe, or the output was opened for appending.
            return giveUp()
        }
    }

    /// Makes the pipes hold at least ``pipeBytes``, once.
    ///
    /// Only when there is input: this waits for the lock of a pipe, which the program that feeds it may hold until then.
    private mutating func growPipes() {
        guard !hasGrownPipes else { return }
        hasGrownPipes = true
        // What is no pipe has no size, -1.
        for pipe in [input, output] where (0..<Self.pipeBytes).contains(handoff_get_pipe_size(pipe)) {
            _ = handoff_set_pipe_size(pipe, Self.pipeBytes)
        }
    }

    /// Copies are made from now on.
    mutating func giveUp() -> Int? {
        isPossible = false
        return nil
    }
}
