extension Connection {
    /// Receives the signals that match `rule` while `body` runs.
    ///
    /// The bus has confirmed the rule before `body` begins, so that no signal emitted since is missed; the bus is told to
    /// remove it before this returns. A signal that arrives before the reply to a call is in the sequence before the
    /// call returns.
    ///
    /// At most `limit` signals are buffered; one more ends the sequence with `.overflow`.
    ///
    /// - Throws: what `body` throws, and `DBusError` if the bus does not accept the rule.
    package func withSignals<T>(
        _ rule: MatchRule,
        limit: Int = 4096,
        _ body: (SignalSequence) async throws -> T
    ) async throws -> T {
        guard let name = rule.sender, !name.isUnique, name != .bus else {
            return try await withMatch(rule, limit: limit, body)
        }
        return try await withOwnerTracking(name) { try await withMatch(rule, limit: limit, body) }
    }

    /// The same, without waiting for the bus to confirm the rule, which it gets with the next message of this connection.
    ///
    /// No signal is missed that is emitted after a later call of this connection was delivered: the bus handles messages
    /// in their order. The bus refuses a rule only to a connection that has too many, and this does not tell of it. So it is
    /// for a program with few rules that saves wake-ups.
    package func withUnconfirmedSignals<T>(
        _ rule: MatchRule,
        limit: Int = 4096,
        _ body: (SignalSequence) async throws -> T
    ) async throws -> T {
        guard rule.sender?.isUnique == true else { return try await withSignals(rule, limit: limit, body) }
        let text = Value.string(rule.description)
        return try await withSubscription(rule, limit: limit) { signals in
            sendWithNext(.bus("AddMatch", [text]))
            defer { sendWithNext(.bus("RemoveMatch", [text])) }
            return try await body(signals)
        }
    }

    private func withMatch<T>(
        _ rule: MatchRule,
        limit: Int,
        _ body: (SignalSequence) async throws -> T
    ) async throws -> T {
        try await withSubscription(rule, limit: limit) { signals in
            try await withRule(rule) { try await body(signals) }
        }
    }

    /// Passes the signals that match `rule` to `body`, without adding the rule to the bus.
    func withSubscription<T>(
        _ rule: MatchRule,
        limit: Int,
        _ body: (SignalSequence) async throws -> T
    ) async throws -> T {
        let (id, signals) = context.router.subscribe(rule, limit: limit)
        defer { context.router.unsubscribe(id) }
        return try await body(signals)
    }

    /// Adds `rule` to the bus while `body` runs.
    ///
    /// The bus counts rules: equal ones may overlap.
    func withRule<T>(_ rule: MatchRule, _ body: () async throws -> T) async throws -> T {
        let text = Value.string(rule.description)
        _ = try await callBus("AddMatch", [text])
        let result: Result<T, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        // There is nothing to wait for: what comes for the rule until then is passed to nobody.
        send(.bus("RemoveMatch", [text]))
        return try result.get()
    }
}
