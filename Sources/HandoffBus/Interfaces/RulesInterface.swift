package import DBus

/// The methods and properties of `org.handoffd.Rules1`, implemented by the daemon.
///
/// The properties are read on the connection's thread, and must not block.
package protocol RulesHandler: Sendable {
    /// Whether Handoff is paused.
    var isPaused: Bool { get }
    /// When the pause ends, in microseconds since 1970; 0 when there is none or it has no end.
    var pausedUntil: UInt64 { get }
    /// Whether this device offers nothing.
    var isReceiveOnly: Bool { get }
    /// The rules, by kind and value.
    var rules: [RuleDescription] { get }
    /// What the rules withhold now.
    var withheld: [WithheldDescription] { get }

    /// Pauses Handoff until a time in microseconds since 1970; 0 for no end.
    func pause(until end: UInt64) async throws
    /// Ends the pause.
    func resume() async throws
    /// Sets whether this device offers nothing.
    func setReceiveOnly(_ isReceiveOnly: Bool) async throws
    /// Makes a rule, in place of an earlier one about the same.
    func setRule(_ rule: RuleDescription) async throws
    /// Removes the rule about something.
    func removeRule(kind: String, value: String) async throws
}

extension Interface {
    /// `org.handoffd.Rules1`, served by `handler`.
    package static func rules(_ handler: some RulesHandler) -> Interface {
        Interface(
            name: HandoffName.rulesInterface,
            methods: [
                pause(handler), resume(handler), setReceiveOnly(handler), setRule(handler), removeRule(handler),
            ],
            properties: [
                Property(name: "Paused", type: .boolean) { .boolean(handler.isPaused) },
                Property(name: "PausedUntil", type: .uint64) { .uint64(handler.pausedUntil) },
                Property(name: "ReceiveOnly", type: .boolean) { .boolean(handler.isReceiveOnly) },
                Property(name: "Rules", type: .dictionaries) { Value.rules(handler.rules) },
                Property(name: "Withheld", type: .dictionaries) { Value.withheld(handler.withheld) },
            ]
        ).annotatedForCodeGenerators()
    }

    private static func pause(_ handler: some RulesHandler) -> Method {
        Method(name: "Pause", inputs: [Argument(name: "until", type: .uint64), .options]) { invocation in
            let end = try invocation.arguments.decode(at: 0, as: UInt64.self)
            return .deferred {
                try await handler.pause(until: end)
                return []
            }
        }
    }

    private static func resume(_ handler: some RulesHandler) -> Method {
        Method(name: "Resume", inputs: [.options]) { _ in
            .deferred {
                try await handler.resume()
                return []
            }
        }
    }

    private static func setReceiveOnly(_ handler: some RulesHandler) -> Method {
        Method(name: "SetReceiveOnly", inputs: [Argument(name: "receive_only", type: .boolean), .options]) {
            invocation in
            let isReceiveOnly = try invocation.arguments.decode(at: 0, as: Bool.self)
            return .deferred {
                try await handler.setReceiveOnly(isReceiveOnly)
                return []
            }
        }
    }

    private static func setRule(_ handler: some RulesHandler) -> Method {
        Method(
            name: "SetRule",
            inputs: [
                Argument(name: "verdict", type: .string), Argument(name: "kind", type: .string),
                Argument(name: "value", type: .string), .options,
            ]
        ) { invocation in
            let rule = RuleDescription(
                verdict: try invocation.arguments.decode(at: 0, as: String.self),
                kind: try invocation.arguments.decode(at: 1, as: String.self),
                value: try invocation.arguments.decode(at: 2, as: String.self)
            )
            return .deferred {
                try await handler.setRule(rule)
                return []
            }
        }
    }

    private static func removeRule(_ handler: some RulesHandler) -> Method {
        Method(
            name: "RemoveRule",
            inputs: [Argument(name: "kind", type: .string), Argument(name: "value", type: .string), .options]
        ) { invocation in
            let kind = try invocation.arguments.decode(at: 0, as: String.self)
            let value = try invocation.arguments.decode(at: 1, as: String.self)
            return .deferred {
                try await handler.removeRule(kind: kind, value: value)
                return []
            }
        }
    }
}

extension Value {
    /// Returns rules as a value of type `aa{sv}`.
    package static func rules(_ rules: [RuleDescription]) -> Value { .dictionaries(rules.map(\.dictionary)) }

    /// Returns withheld activities as a value of type `aa{sv}`.
    package static func withheld(_ withheld: [WithheldDescription]) -> Value {
        .dictionaries(withheld.map(\.dictionary))
    }
}
