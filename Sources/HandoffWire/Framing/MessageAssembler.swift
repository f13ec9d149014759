/// Reassembles messages from fragments, buffering at most one message of a limited length.
///
/// After an error every further call throws the same error.
package struct MessageAssembler: Sendable {
    private let maximumLength: Int
    private var message: [UInt8] = []
    private var failure: WireError?

    /// Creates an assembler for messages of at most `maximumLength` bytes.
    package init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    /// Adds a fragment and returns the message that it completes; `nil` when more fragments follow.
    ///
    /// - Throws: ``WireError/Code/invalidFragment`` for an unknown or missing flag, or an empty fragment that is not the
    ///   last; ``WireError/Code/tooLarge`` when the message exceeds the limit.
    package mutating func append(_ fragment: [UInt8]) throws(WireError) -> [UInt8]? {
        if let failure { throw failure }
        guard let flag = fragment.first, flag == MessageFragmenter.last || flag == MessageFragmenter.moreFollows else {
            throw fail(WireError(.invalidFragment, "A fragment's flag byte must be 0 or 1."))
        }
        guard flag == MessageFragmenter.last || fragment.count > 1 else {
            throw fail(WireError(.invalidFragment, "A fragment other than the last is empty."))
        }
        guard message.count + fragment.count - 1 <= maximumLength else {
            throw fail(WireError(.tooLarge, "A message exceeds the limit of \(maximumLength) bytes."))
        }
        message.append(contentsOf: fragment.dropFirst())
        guard flag == MessageFragmenter.last else { return nil }
        defer { message = [] }
        return message
    }

    private mutating func fail(_ error: WireError) -> WireError {
        failure = error
        message = []
        return error
    }
}
