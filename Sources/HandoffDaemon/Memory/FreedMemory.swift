import CLinux
import Synchronization

/// Keeps memory that streams free for their next pieces, instead of giving it back to the kernel each time.
///
/// Each read over the local network takes some buffers of up to 256 KiB. By default glibc gives free memory back as soon as
/// there are 128 KiB of it (`M_TRIM_THRESHOLD`, mallopt(3)), and the kernel clears each page anew for the next piece:
/// that was a quarter of a stream's processor time (Docs/Measurements.md).
final class FreedMemory: Sendable {
    /// That of this process.
    ///
    /// After the first stream, glibc does not raise the size any more from which it maps a block of its own.
    static let ofProcess = FreedMemory { isKept in
        _ = mallopt(M_TRIM_THRESHOLD, isKept ? 4 << 20 : 128 << 10)
        _ = mallopt(M_MMAP_THRESHOLD, isKept ? 1 << 20 : 128 << 10)
        if !isKept { malloc_trim(0) }
    }

    private let keep: @Sendable (_ isKept: Bool) -> Void
    /// How many streams run.
    private let streams = Mutex(0)

    /// - Parameter keep: is called when the first stream begins, and with false when the last one has ended.
    init(keep: @escaping @Sendable (_ isKept: Bool) -> Void) {
        self.keep = keep
    }

    /// Keeps freed memory while a stream runs.
    func isKept(while run: () async -> Void) async {
        streams.withLock { count in
            count += 1
            if count == 1 { keep(true) }
        }
        await run()
        streams.withLock { count in
            count -= 1
            if count == 0 { keep(false) }
        }
    }
}
