/// Sends, receives and dispatches the messages of a connection, until it is stopped or lost.
///
/// Confined to the thread of the loop (``ConnectionSource``).
final class ConnectionDispatcher {
    /// What the connection needs after a turn.
    enum Next {
        /// Another turn, when everything else has had one.
        case again
        /// A turn when something is ready, or at this time.
        case wait(until: ContinuousClock.Instant?)
        /// Nothing: it has ended, for the reason why it was lost, or because it was stopped.
        case end(DBusError?)
    }

    /// How long the bus may take nothing of the remaining messages after the end; one that reads takes microseconds.
    private static let flushTime = Duration.seconds(2)

    /// How often the socket is read before calls are handled again; libdbus reads 2 KiB at a time.
    private static let readsPerTurn = 256

    private let context: ConnectionContext
    private let transport: Transport
    private let server: ObjectServer
    private var pending = PendingCalls()
    private var incoming = IncomingQueue()
    private var callers = CallerVerdicts()
    /// The senders whose messages wait behind a call that is performed in its order.
    private var performing: Set<BusName> = []
    /// Until when the bus has to take something of the remaining messages; set when the connection is to end.
    private var flushDeadline: ContinuousClock.Instant?
    /// The number of bytes that remained when the deadline was set.
    private var remainingBytes = 0
    private var loss: DBusError?

    /// Takes ownership of a new connection; sends `hello` before any other message.
    init(context: ConnectionContext, transport: Transport, hello: OutgoingMessage, _ call: PendingCall) {
        self.context = context
        self.transport = transport
        server = ObjectServer(tree: context.objects, asyncHandlers: context.asyncHandlers, queue: context.queue)
        perform(.call(hello, call))
    }

    /// The descriptor of the connection's socket, which is open as long as this object exists.
    var socket: Int32 { transport.socket }

    /// The events of epoll_ctl(2) of the socket for which libdbus waits.
    var interest: UInt32 { transport.interest }

    /// Performs what there is to do, for a part of the messages only if there are many.
    ///
    /// - Parameters:
    ///   - events: those of epoll_ctl(2) of the socket that have occurred.
    ///   - isWoken: whether the queue of commands has woken up the loop.
    func turn(_ events: UInt32, isWoken: Bool) -> Next {
        if isWoken { context.queue.clearWake() }
        if events != 0 { transport.handle(events) }
        context.queue.endSleep()
        performCommands()
        receive()
        handleTurn()
        expire()
        // Other connections may have kept the loop busy: only a bus that has had time and takes nothing is given up.
        if flushDeadline != nil, transport.outgoingBytes < remainingBytes { setFlushDeadline() }
        guard loss == nil, !isFlushed else { return end() }
        let mayWait = flushDeadline != nil || incoming.isEmpty && context.queue.prepareToSleep()
        return mayWait ? .wait(until: nextDeadline) : .again
    }

    private func end() -> Next {
        let error = loss ?? .disconnected
        for call in pending.removeAll() { call.complete(.failure(error)) }
        return .end(flushDeadline == nil ? loss : nil)
    }

    private var isFlushed: Bool {
        guard let flushDeadline else { return false }
        return !transport.hasMessagesToSend || flushDeadline <= .now
    }

    private func setFlushDeadline() {
        flushDeadline = .now + Self.flushTime
        remainingBytes = transport.outgoingBytes
    }

    // MARK: Sending

    private func performCommands() {
        while loss == nil, flushDeadline == nil, let command = context.queue.pop() {
            perform(command)
        }
    }

    private func perform(_ command: Command) {
        switch command {
        case .send(let message):
            do { _ = try send(message) } catch { context.sendFailures.record(error) }
        case .call(let message, let call):
            do { pending.add(call, serial: try send(message)) } catch { call.complete(.failure(error)) }
        case .cancel(let id):
            pending.remove(id)?.complete(.failure(DBusError(.cancelled, "the call was cancelled")))
        case .announce(let interfaces, let path, let manager, let client):
            var added = ObjectTree.added(interfaces, at: path, by: manager)
            added.destination = client
            do { _ = try send(added.message()) } catch { context.sendFailures.record(error) }
        case .judged(let caller, let verdict):
            callers.end(caller, verdict)
            incoming.release(caller)
        case .performed(let caller):
            performing.remove(caller)
            incoming.release(caller)
        case .stop: setFlushDeadline()
        }
    }

    private func send(_ message: OutgoingMessage) throws(DBusError) -> UInt32 {
        if transport.isCongested {
            let limit = Transport.maximumOutgoing >> 20
            let error = DBusError(
                .disconnected,
                "the bus has stopped reading: more than \(limit) MiB are waiting to be sent"
            )
            loss = error
            throw error
        }
        do {
            return try transport.send(message)
        } catch {
            try failUnsendable(message, error)
            throw error
        }
    }

    /// Sends an error reply to a caller whose reply cannot be sent.
    private func failUnsendable(_ message: OutgoingMessage, _ error: DBusError) throws(DBusError) {
        guard case .reply(let address) = message.kind else { return }
        _ = try transport.send(OutgoingMessage(failure: .failed, error.message, to: address))
    }

    // MARK: Receiving

    /// Accepts what has arrived; while calls wait, also what is still in the socket, behind which others may wait.
    private func receive() {
        acceptArrived()
        // What was read is accepted in the same turn: nothing would wake up the loop for it.
        for _ in 0..<Self.readsPerTurn {
            guard !incoming.isEmpty, transport.read() else { break }
            acceptArrived()
        }
        if !transport.isConnected, loss == nil {
            loss = DBusError(.disconnected, "the bus closed the connection")
        }
    }

    private func acceptArrived() {
        while let message = transport.receive() {
            if flushDeadline == nil { accept(message) }
        }
    }

    /// Handles a message, or lets it wait for the turn of its sender, as calls do and what follows them.
    private func accept(_ message: consuming Message) {
        // Whoever has called and left is reported when its calls have been performed, so that what they make is undone.
        if !performing.isEmpty || incoming.hasMessages, let owner = Self.departed(by: message),
            performing.contains(owner) || incoming.contains(owner)
        {
            return incoming.append(message, of: owner)
        }
        guard let sender = message.sender, message.kind == .call || incoming.contains(sender) else {
            return dispatch(message)
        }
        if message.kind == .call { judge(sender) }
        guard incoming.isFull(for: sender) else { return incoming.append(message, of: sender) }
        if message.kind == .call {
            server.refuse(message, waiting: IncomingQueue.maximumPerSender)
        } else {
            dispatch(message)
        }
    }

    /// Lets a caller's messages wait until it is decided whether its calls are performed.
    private func judge(_ caller: BusName) {
        guard let admission = context.objects.admission, callers.begin(caller) else { return }
        incoming.hold(caller)
        let queue = context.queue
        let fits = context.asyncHandlers.add(caller) { queue.push(.judged(caller, await admission(caller))) }
        guard !fits else { return }
        callers.giveUp(caller)
        incoming.release(caller)
    }

    /// Handles the messages of the sender whose turn it is.
    private func handleTurn() {
        guard flushDeadline == nil, let sender = incoming.beginTurn() else { return }
        for _ in 0..<IncomingQueue.messagesPerTurn {
            guard let item = incoming.next(of: sender) else { break }
            item.withMessage { dispatch($0) }
        }
        incoming.endTurn(of: sender)
    }

    private func dispatch(_ message: borrowing Message) {
        switch message.kind {
        case .call: handleCall(message)
        case .reply: answered(by: message)?.complete(Self.values(of: message))
        case .failure: answered(by: message)?.complete(.failure(Self.failure(message)))
        case .signal: deliver(message)
        case .other: break
        }
    }

    private func handleCall(_ message: borrowing Message) {
        guard context.objects.admission != nil, let sender = message.sender,
            let refusal = callers.refusal(of: sender)
        else {
            guard server.handle(message), let caller = message.sender else { return }
            performing.insert(caller)
            incoming.hold(caller)
            return
        }
        server.refuse(message, refusal)
    }

    private func answered(by message: borrowing Message) -> PendingCall? {
        pending.removeAnswered(serial: message.replySerial, by: message.sender)
    }

    private static func values(of message: borrowing Message) -> Result<[Value], DBusError> {
        do {
            return .success(try MessageDecoder.arguments(of: message))
        } catch {
            return .failure(error)
        }
    }

    private static func failure(_ message: borrowing Message) -> DBusError {
        let name = message.errorName ?? .failed
        let text = (try? MessageDecoder.arguments(of: message))?.first?.string
        let sentence = text.flatMap { $0.isEmpty ? nil : $0 } ?? "the call was answered with an error"
        return DBusError(name == .noReply ? .noReply : .remote, sentence, name: name)
    }

    private func deliver(_ message: borrowing Message) {
        guard let sender = message.sender, let path = message.path, let interface = message.interface,
            let member = message.member
        else { return }
        if sender == .bus, member == "NameOwnerChanged" { finishCalls(ofOwnerIn: message) }
        let header = SignalHeader(sender: sender, path: path, interface: interface, member: member)
        if sender == .bus, member == "NameOwnerChanged" { updateOwner(message) }
        context.router.deliver(header, destination: message.destination) { () throws(DBusError) in
            try MessageDecoder.arguments(of: message)
        }
    }

    /// Handles what a connection has sent before it lost a name, but for what waits behind a call in its order.
    private func finishCalls(ofOwnerIn message: borrowing Message) {
        guard incoming.hasMessages, let arguments = try? MessageDecoder.arguments(of: message), arguments.count == 3,
            let owner = arguments[1].string.map(BusName.init(trusted:)), incoming.contains(owner)
        else { return }
        while let item = incoming.next(of: owner) { item.withMessage { dispatch($0) } }
        incoming.endTurn(of: owner)
    }

    /// The connection that has left the bus, as this message reports; nil if it reports something else.
    private static func departed(by message: borrowing Message) -> BusName? {
        guard message.kind == .signal, message.sender == .bus, message.member == "NameOwnerChanged",
            let arguments = try? MessageDecoder.arguments(of: message), arguments.count == 3,
            let name = arguments[0].string, name == arguments[1].string, arguments[2].string == ""
        else { return nil }
        return BusName(trusted: name)
    }

    private func updateOwner(_ message: borrowing Message) {
        guard let arguments = try? MessageDecoder.arguments(of: message), arguments.count == 3,
            let name = arguments[0].string, let owner = arguments[2].string
        else { return }
        context.router.setOwner(owner.isEmpty ? nil : BusName(trusted: owner), of: BusName(trusted: name))
    }

    // MARK: Waiting

    private func expire() {
        guard pending.nextDeadline != nil else { return }
        while let call = pending.removeExpired(.now) {
            call.complete(.failure(DBusError(.timedOut, "no answer came in time")))
        }
    }

    private var nextDeadline: ContinuousClock.Instant? {
        [pending.nextDeadline, flushDeadline].compactMap(\.self).min()
    }
}
