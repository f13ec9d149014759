/// Answers incoming calls.
///
/// Runs on the loop's thread.
struct ObjectServer: Sendable {
    let tree: ObjectTree
    let asyncHandlers: AsyncHandlers
    let queue: CommandQueue

    /// Performs one call, or begins to.
    ///
    /// Its reply is queued after all messages that the handler has sent.
    ///
    /// - Returns: whether the sender's later messages have to wait until `Command.performed` comes.
    func handle(_ message: borrowing Message) -> Bool {
        guard let sender = message.sender, let path = message.path, let member = message.member else { return false }
        let address = message.expectsReply ? ReplyAddress(sender: sender, serial: message.serial) : nil
        do {
            let (interface, method) = try tree.method(member, of: message.interface, at: path, for: sender)
            let invocation = Invocation(
                sender: sender,
                path: path,
                interface: interface,
                member: member,
                arguments: try Self.arguments(of: message, for: method),
                expectsReply: message.expectsReply
            )
            switch try method.handler(invocation) {
            case .reply(let values): answer(address, method, .success(values))
            case .deferred(let work): try start(work, method, sender, address)
            case .ordered(let work):
                try start(work, method, sender, address) { queue.push(.performed(sender)) }
                return true
            }
        } catch {
            answer(address, nil, .failure(error))
        }
        return false
    }

    /// Refuses a call of a sender of which so many calls wait already.
    func refuse(_ message: borrowing Message, waiting limit: Int) {
        guard let sender = message.sender else { return }
        let text = "\(sender) has \(limit) calls waiting: wait for the answers"
        refuse(message, .failure(.limitsExceeded, text))
    }

    /// Answers a call with an error, without performing it.
    func refuse(_ message: borrowing Message, _ error: DBusError) {
        guard let sender = message.sender, message.expectsReply else { return }
        answer(ReplyAddress(sender: sender, serial: message.serial), nil, .failure(error))
    }

    private static func arguments(of message: borrowing Message, for method: Method) throws(DBusError) -> [Value] {
        let expected = method.inputs.map(\.type.description).joined()
        let found = message.signature
        guard expected == found else {
            throw .failure(.invalidArgs, "\(method.name) takes '\(expected)' and was called with '\(found)'")
        }
        do {
            return try MessageDecoder.arguments(of: message)
        } catch {
            throw .failure(error.code == .limit ? .limitsExceeded : .invalidArgs, error.message)
        }
    }

    private func start(
        _ work: @escaping @Sendable () async throws -> [Value],
        _ method: Method,
        _ sender: BusName,
        _ address: ReplyAddress?,
        then end: @escaping @Sendable () -> Void = {}
    ) throws(DBusError) {
        let fits = asyncHandlers.add(sender) {
            do {
                answer(address, method, .success(try await work()))
            } catch {
                answer(address, nil, .failure(error))
            }
            end()
        }
        guard fits else {
            let limit = AsyncHandlers.maximumPerSender
            throw .failure(.limitsExceeded, "\(sender) has \(limit) calls under way: wait for an answer")
        }
    }

    private func answer(_ address: ReplyAddress?, _ method: Method?, _ result: Result<[Value], any Error>) {
        guard let address else { return }
        do {
            let values = try result.get()
            try Self.check(values, method)
            queue.push(.send(try OutgoingMessage(.reply(address), values)))
        } catch {
            let known = error as? DBusError
            let text = known?.message ?? String(describing: error)
            queue.push(.send(OutgoingMessage(failure: known?.name ?? .failed, text, to: address)))
        }
    }

    private static func check(_ values: [Value], _ method: Method?) throws(DBusError) {
        guard let method, values.map(\.type) != method.outputs.map(\.type) else { return }
        let found = values.map(\.type.description).joined()
        throw .failure(
            .failed,
            "the reply of \(method.name) has the signature '\(found)', which is not the declared one"
        )
    }
}
