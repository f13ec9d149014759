import FoundationEssentials

/// What `handoffctl doctor` has found.
package enum Examination: Hashable, Sendable {
    case none
    case running
    case found([Finding])
    /// It could not be run, or has not answered as expected.
    case failed

    /// One finding.
    package struct Finding: Hashable, Sendable, Decodable {
        package let check: String
        /// `good`, `advice` or `fault`.
        package let grade: String
        package let message: String
        package let cure: String?

        package init(check: String, grade: String, message: String, cure: String?) {
            (self.check, self.grade, self.message, self.cure) = (check, grade, message, cure)
        }
    }

    /// Reads what the command has printed.
    ///
    /// - Parameters:
    ///   - output: one line of JSON.
    ///   - status: the exit status: 0 when nothing is at fault, 1 otherwise.
    package init(output: String, status: Int) {
        guard 0...1 ~= status,
            let findings = try? JSONDecoder().decode([Finding].self, from: Data(output.utf8)), !findings.isEmpty
        else {
            self = .failed
            return
        }
        self = .found(findings)
    }
}
