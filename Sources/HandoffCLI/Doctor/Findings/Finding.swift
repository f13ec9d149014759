/// What one check of `handoffctl doctor` has found.
struct Finding: Encodable, Hashable, Sendable {
    /// How much a finding matters.
    enum Grade: String, Encodable, Sendable {
        /// All is well.
        case good
        /// It works, and could work better.
        case advice
        /// Something does not work.
        case fault
    }

    /// The name of the check, for programs: lower-case words with hyphens that stay the same.
    let check: String
    let grade: Grade
    /// What was found, and why it matters.
    let message: String
    /// The command or the act that mends it; nil when nothing is to be done.
    let cure: String?

    static func good(_ check: String, _ message: String) -> Finding {
        Finding(check: check, grade: .good, message: message, cure: nil)
    }

    static func advice(_ check: String, _ message: String, cure: String?) -> Finding {
        Finding(check: check, grade: .advice, message: message, cure: cure)
    }

    static func fault(_ check: String, _ message: String, cure: String?) -> Finding {
        Finding(check: check, grade: .fault, message: message, cure: cure)
    }
}
