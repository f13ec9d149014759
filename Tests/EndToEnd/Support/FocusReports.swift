import HandoffTestSupport

/// What handoff-desktop tells the daemon of the focus.
///
/// The daemon has to be told that the app of an activity has the focus before another one has it: until then, the activity
/// is one of a program without a window, which is current whatever has the focus.
struct FocusReports: Sendable {
    /// The rule for the messages.
    static let rule = "type='method_call',interface='org.handoffd.Manager1',member='SetFocus'"

    private let messages: BusMessages

    init(_ messages: BusMessages) {
        self.messages = messages
    }

    /// Runs `body` with the reports on a bus.
    static func follow(
        on bus: PrivateBus,
        _ body: @escaping @Sendable (FocusReports) async throws -> Void
    ) async throws {
        try await BusMessages.follow([rule], on: bus) { try await body(FocusReports($0)) }
    }

    /// Waits until the last report is that a process has the focus.
    func until(_ process: Int32, at place: String = #fileID, line: Int = #line) async throws {
        func isReported(_ message: BusMessages.Message) -> Bool { message.arguments.first?.number == Double(process) }
        let count = messages.count
        if let last = messages.all.last(where: { $0.member == "SetFocus" }), isReported(last) { return }
        let what = "the report that process \(process) has the focus"
        try await messages.first(what, from: count, at: place, line: line) { $0.member == "SetFocus" && isReported($0) }
    }
}
