/// Puts fragments together to messages, holding no more than one message of a stated length.
///
/// After an error every further call throws the same error.
package struct MessageAssembler: Sendable {
    private let maximumLength: Int
    private var message: [UInt8] = []
    private var failure: WireError?

    /// Accepts messages of at most `maximumLength` bytes.
    package init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    /// Adds a fragment and returns the message that it completes; `nil` when more follows.
    ///
    /// - Throws: ``WireError/Code/malformed`` for an unknown flag, no flag, or an empty piece that others follow;
    ///   ``WireError/Code/tooLarge`` when the message grows beyond the limit.
    package mutating func append(_ fragment: [UInt8]) throws(WireError) -> [UInt8]? {
        if let failure { throw failure }
        guard let flag = fragment.first, flag == MessageFragmenter.last || flag == MessageFragmenter.moreFollows else {
            throw fail(WireError(.malformed, "A fragment begins with neither 0 nor 1."))
        }
        guard flag == MessageFragmenter.last || fragment.count > 1 else {
            throw fail(WireError(.malformed, "A fragment that others follow is empty."))
        }
        guard message.count + fragment.count - 1 <= maximumLength else {
            throw fail(WireError(.tooLarge, "A message is above the limit of \(maximumLength) bytes."))
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
