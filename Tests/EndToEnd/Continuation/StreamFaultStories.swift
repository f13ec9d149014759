import TestLimits
import Testing

/// The stories of Tests/Stories/stream_faults.py: each at every offset at which something can change.
///
/// Each device is in a network namespace of its own. A user other than root needs user namespaces for them.
@Suite("A stream ends with success where everything was taken", .endsWithin(minutes: 15, instances: 4))
struct StreamFaultStories {
    /// What happens to a stream.
    enum Fault: String, CaseIterable, Sendable {
        case sizes, early, cut, full, closed
        case killedReader = "killed-reader"
        case stalledReader = "stalled-reader"
        case killedWriter = "killed-writer"
    }

    private static let program = PythonStory(file: "stream_faults.py", instances: 4)

    @Test("Over the radio", arguments: Fault.allCases)
    func radio(_ fault: Fault) async throws { try await Self.program.tell("\(fault.rawValue)-radio") }

    @Test("Over the local network", arguments: Fault.allCases)
    func network(_ fault: Fault) async throws { try await Self.program.tell("\(fault.rawValue)-network") }
}
