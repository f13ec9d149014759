import CFuzzer
import HandoffDaemon
import Synchronization
import SystemPackage

/// Runs one target with the inputs of libFuzzer: `handoff-fuzz TARGET SCRATCH [libFuzzer's options and directories]`.
///
/// SCRATCH is a directory for the files that the target reads.
@main
enum HandoffFuzz {
    /// Static, since libFuzzer calls a C function without a context.
    private static let target = Mutex<(any FuzzTarget & Sendable)?>(nil)

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2, let name = TargetName(rawValue: arguments[1]) else {
            // Tests/Fuzz/run reads the names from here.
            print(TargetName.allCases.map(\.rawValue).joined(separator: " "))
            return
        }
        try await StateDirectory.withDirectory(at: FilePath(arguments[2])) { directory in
            let prepared = try await name.target(in: directory)
            target.withLock { $0 = prepared }
            // libFuzzer takes the first argument for the program's name.
            var count = CommandLine.argc - 2
            var rest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 2
            _ = LLVMFuzzerRunDriver(&count, &rest) { start, count in
                HandoffFuzz.take(Array(UnsafeBufferPointer(start: start, count: count)))
                return 0
            }
        }
    }

    private static func take(_ bytes: [UInt8]) {
        target.withLock { $0?.take(bytes) }
    }
}
