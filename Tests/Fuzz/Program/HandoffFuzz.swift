import CFuzzer
import Glibc
import HandoffDaemon
import Synchronization
import SystemPackage

/// Runs one target with the inputs of libFuzzer: `handoff-fuzz TARGET SCRATCH [libFuzzer's options and directories]`.
///
/// SCRATCH is a directory for the files that the target reads. `handoff-fuzz TARGET SCRATCH --reached FILE…` reads the files
/// once, prints how many have reached each milestone, and fails when none has reached one of them.
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
            var prepared = try await name.target(in: directory)
            if arguments.count > 3, arguments[3] == "--reached" {
                for path in arguments[4...] { prepared.take(try bytes(of: FilePath(path))) }
                return report(name, prepared.reached)
            }
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

    private static func bytes(of path: FilePath) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
                guard count > 0 else { return all }
                all += buffer.prefix(count)
            }
        }
    }

    private static func report(_ name: TargetName, _ reached: [Milestone: Int]) {
        let counts = Milestone.allCases.compactMap { one in reached[one].map { "\(one.rawValue) \($0)" } }
        if !counts.isEmpty { print("\(name.rawValue): the seeds reach \(counts.joined(separator: ", "))") }
        if reached.values.contains(0) { exit(1) }
    }

    private static func take(_ bytes: [UInt8]) {
        target.withLock { $0?.take(bytes) }
    }
}
