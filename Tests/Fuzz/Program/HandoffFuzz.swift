import CFuzzer
import HandoffDaemon
import SystemPackage

/// Runs one parser with the inputs of libFuzzer: `handoff-fuzz PARSER SCRATCH [libFuzzer's options and directories]`.
///
/// SCRATCH is a directory for the files that the parser reads.
@main
enum HandoffFuzz {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2, let parser = Parser(rawValue: arguments[1]) else {
            let parsers = Parser.allCases.map(\.rawValue).joined(separator: "|")
            print("usage: handoff-fuzz \(parsers) SCRATCH [OPTION…] [CORPUS…]")
            return
        }
        try await StateDirectory.withDirectory(at: FilePath(arguments[2])) { directory in
            FuzzTarget.prepare(parser, directory)
            // libFuzzer takes the first argument for the program's name.
            var count = CommandLine.argc - 2
            var rest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 2
            _ = LLVMFuzzerRunDriver(&count, &rest) { start, count in
                FuzzTarget.take(Array(UnsafeBufferPointer(start: start, count: count)))
                return 0
            }
        }
    }
}
