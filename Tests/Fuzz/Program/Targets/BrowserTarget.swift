import HandoffBrowser

/// What the extension in a browser sends: a byte for the size of the pieces, and the stream.
struct BrowserTarget: FuzzTarget {
    mutating func take(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        let size = 1 + Int(input.byte())
        let stream = input.remainder()
        let whole = Self.messages(stream, inPiecesOf: max(1, stream.count))
        precondition(whole == Self.messages(stream, inPiecesOf: size), "the pieces make no difference")
        var pacer = PublicationPacer()
        var now = ContinuousClock.now
        for message in whole {
            now += .milliseconds(message.count % 400)
            take(message, &pacer, at: now)
        }
    }

    private func take(_ bytes: [UInt8], _ pacer: inout PublicationPacer, at now: ContinuousClock.Instant) {
        guard let message = try? BrowserMessage(bytes) else { return }
        switch message {
        case .page(let page, let isFocused):
            if let page {
                precondition(PublishedPage(url: page.address, title: page.title) == page, "a page is accepted again")
                precondition(page.title.utf8.count <= PublishedPage.maximumTitleBytes, "a title is short")
            }
            let actions = pacer.show(page, isFocused: isFocused, at: now) + pacer.pass(at: now)
            precondition(actions.count <= 6 && (page != nil || pacer.page == nil), "a withdrawal is never late")
        case .noPage: precondition(pacer.withdraw().count <= 1 && pacer.page == nil, "nothing is published")
        case .saved(_, _, let state?):
            precondition(PageState(state.userInfo) == state, "a state survives an activity")
        case .saved, .hello, .opened, .look, .continue: break
        }
    }

    /// The messages before the first length that is not allowed.
    private static func messages(_ stream: [UInt8], inPiecesOf size: Int) -> [[UInt8]] {
        var reader = MessageReader()
        var messages: [[UInt8]] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(size)
            reader.append(piece)
            do throws(BrowserError) {
                while let message = try reader.next() { messages.append(message) }
            } catch {
                return messages
            }
        }
        return messages
    }
}
