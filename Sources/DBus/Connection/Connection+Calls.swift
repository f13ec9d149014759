extension Connection {
    /// Calls a method and returns the arguments of its reply.
    ///
    /// - Throws: `DBusError` with the code `.remote` for an error reply, `.noReply` if the callee disconnected,
    ///   `.timedOut` after `timeout`, `.cancelled` if the task is cancelled, `.disconnected` if the connection to the
    ///   bus is lost, and `.invalidValue`, `.invalidName` or `.limit` if the call cannot be sent.
    package func call(_ call: MethodCall, timeout: Duration = .seconds(25)) async throws(DBusError) -> [Value] {
        let id = context.queue.nextCall()
        let message = try call.message(expectsReply: true)
        let result = await withTaskCancellationHandler {
            await completion { complete in
                let deadline = ContinuousClock.now + timeout
                let pending = PendingCall(id, to: call.destination, deadline: deadline, complete)
                context.queue.push(.call(message, pending))
                // The cancellation handler may have run already, before there was a call to cancel.
                if Task.isCancelled { context.queue.push(.cancel(id)) }
            }
        } onCancel: {
            context.queue.push(.cancel(id))
        }
        return try result.get()
    }

    /// Calls a method without waiting for its reply; never blocks.
    ///
    /// Calls are sent in the order in which they are posted, so a caller that posts under a lock gets the order of that
    /// lock. `answer` is called exactly once, with the result that ``call(_:timeout:)`` would return or throw: on the
    /// loop's thread, or at once if the connection has ended or the call cannot be sent. So it must be quick, and
    /// must not take a lock that the caller holds.
    package func post(
        _ call: MethodCall,
        timeout: Duration = .seconds(25),
        _ answer: @escaping @Sendable (Result<[Value], DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let message = try call.message(expectsReply: true)
            let pending = PendingCall(
                context.queue.nextCall(),
                to: call.destination,
                deadline: .now + timeout,
                answer
            )
            context.queue.push(.call(message, pending))
        } catch {
            answer(.failure(error))
        }
    }

    /// Returns whether the bus answers, even if the task is cancelled: false once it is lost, or the connection has ended.
    ///
    /// A bus that has just ended looks as before until the loop's thread reads that.
    package func isAnswered() async -> Bool {
        (try? await callBus("GetId", [])) != nil
    }

    /// Calls a method of the bus itself, even if the task is cancelled: for setup that has to be undone, and for
    /// cleanup.
    ///
    /// `note` gets the result on the loop's thread, before any later message is processed.
    func callBus(
        _ member: MemberName,
        _ arguments: [Value],
        _ note: @escaping @Sendable (Result<[Value], DBusError>) -> Void = { _ in }
    ) async throws(DBusError) -> [Value] {
        let id = context.queue.nextCall()
        let message = try MethodCall.bus(member, arguments).message(expectsReply: true)
        let result = await completion { complete in
            let call = PendingCall(id, to: .bus, deadline: .now + .seconds(25)) { result in
                note(result)
                complete(result)
            }
            context.queue.push(.call(message, call))
        }
        return try result.get()
    }

    /// Waits for the result that is passed to the closure given to `start`.
    private func completion(
        _ start: (@escaping @Sendable (Result<[Value], DBusError>) -> Void) -> Void
    ) async -> Result<[Value], DBusError> {
        await withCheckedContinuation { continuation in
            start { continuation.resume(returning: $0) }
        }
    }
}

/// The standard interface for properties, as methods.
extension Connection {
    /// Returns the value of a property, without the variant around it.
    ///
    /// - Throws: as `call(_:timeout:)`, and `.unexpectedReply`.
    package func property(
        of destination: BusName,
        at path: ObjectPath,
        interface: InterfaceName,
        name: MemberName
    ) async throws(DBusError) -> Value {
        let arguments: [Value] = [.string(interface.description), .string(name.description)]
        let answer = try await call(Self.properties("Get", destination, path, arguments))
        return try answer.decode(at: 0, as: Value.self)
    }

    /// Sets a property to `value`, which is sent in a variant.
    ///
    /// - Throws: as `call(_:timeout:)`.
    package func setProperty(
        of destination: BusName,
        at path: ObjectPath,
        interface: InterfaceName,
        name: MemberName,
        to value: Value
    ) async throws(DBusError) {
        let arguments: [Value] = [.string(interface.description), .string(name.description), .variant(value)]
        _ = try await call(Self.properties("Set", destination, path, arguments))
    }

    /// Returns all properties of an interface by name, without the variants around them.
    ///
    /// - Throws: as `call(_:timeout:)`, and `.unexpectedReply`.
    package func properties(
        of destination: BusName,
        at path: ObjectPath,
        interface: InterfaceName
    ) async throws(DBusError) -> [String: Value] {
        let answer = try await call(Self.properties("GetAll", destination, path, [.string(interface.description)]))
        return try answer.decode(at: 0, as: [String: Value].self)
    }

    private static func properties(
        _ member: MemberName,
        _ destination: BusName,
        _ path: ObjectPath,
        _ arguments: [Value]
    ) -> MethodCall {
        MethodCall(destination: destination, path: path, interface: .properties, member: member, arguments: arguments)
    }
}
