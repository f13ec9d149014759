import HandoffCore
import TestLimits
import Testing

@Suite("The exit status of a program tells what may still be opened in its place", .endsWithin(minutes: 10))
struct ProgramStatusTests {
    /// What a response has to be, without its words.
    enum Kind: Equatable, Sendable {
        case accepted, declined, failed, failedLate, gaveUp, refused, withheld

        init(_ response: Continuation.Response) {
            self =
                switch response {
                case .accepted: .accepted
                case .declined: .declined
                case .failed: .failed
                case .failedLate: .failedLate
                case .gaveUp: .gaveUp
                case .refused: .refused
                case .withheld: .withheld
                }
        }
    }

    @Test(
        "65 and 66 are for good and 75 for now, whenever they come; what is soon and another status leaves the activity to others",
        arguments: [
            (0, .accepted, .accepted), (1, .declined, .failedLate), (64, .declined, .failedLate),
            (65, .refused, .refused), (66, .refused, .refused), (67, .declined, .failedLate),
            (69, .declined, .failedLate), (75, .refused, .refused), (125, .declined, .failedLate),
            (126, .failed, .failedLate), (127, .failed, .failedLate), (143, .failed, .failedLate),
        ] as [(Int32, Kind, Kind)]
    )
    func statuses(status: Int32, early: Kind, late: Kind) {
        #expect(Kind(Continuation.Response(of: "a", status: status, isEarly: true)) == early)
        #expect(Kind(Continuation.Response(of: "a", status: status, isEarly: false)) == late)
    }

    @Test("The status of a program that knows nothing of Handoff refuses nothing", arguments: [65, 66, 75] as [Int32])
    func command(status: Int32) {
        #expect(Kind(Continuation.Response(ofCommand: "a", status: status)) == .declined)
        #expect(Continuation.Response(ofCommand: "a", status: 0) == .accepted)
        #expect(Kind(Continuation.Response(ofCommand: "a", status: 139)) == .failed)
    }

    @Test("The user reads that nothing was opened, and by which program", arguments: [65, 66, 75] as [Int32])
    func sentence(status: Int32) throws {
        guard case .refused(let error) = Continuation.Response(of: "handoff-office", status: status, isEarly: true)
        else { return #expect(Bool(false)) }
        #expect(error.message.contains("handoff-office") && error.message.contains("othing"))
    }
}
