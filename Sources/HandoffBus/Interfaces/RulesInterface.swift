package import DBus

/// What the person at a device allows, as `org.handoffd.Rules1` tells it.
package struct RulesStatus: DescribedObject {
    package var isPaused = false
    /// When the pause ends, in microseconds since 1970; 0 when there is none or it has no end.
    package var pausedUntil: UInt64 = 0
    /// Whether this device offers nothing.
    package var isReceiveOnly = false
    /// The rules, by kind and value.
    package var rules: [RuleDescription] = []
    /// What the rules withhold now.
    package var withheld: [WithheldDescription] = []

    /// Nothing is paused, and there are no rules.
    package init() {}

    /// Reads the properties of `org.handoffd.Rules1`; what is absent or of another type is false or empty.
    package init(_ properties: [String: Value]) { read(properties) }

    /// Reads the property `Withheld`, as it is in a change of properties, too.
    package static func withheld(_ value: Value?) -> [WithheldDescription] {
        (value?.dictionaries ?? []).map(WithheldDescription.init)
    }

    /// The name of the property whose changes some programs follow alone.
    package static let withheldName = "Withheld"

    package static let properties: [DescribedProperty<RulesStatus>] = [
        DescribedProperty("Paused", \.isPaused, .emitted, "whether Handoff is paused"),
        DescribedProperty(
            "PausedUntil",
            \.pausedUntil,
            .emitted,
            "when the pause ends, in microseconds since 1970; 0 when there is none or it has no end"
        ),
        DescribedProperty("ReceiveOnly", \.isReceiveOnly, .emitted, "whether this device offers nothing"),
        DescribedProperty(
            "Rules",
            \.rules,
            .emitted,
            .dictionaries,
            encode: { .rules($0) },
            decode: { $0.dictionaries.map(RuleDescription.init) },
            "the rules, each with Verdict (s), Kind (s) and Value (s)"
        ),
        DescribedProperty(
            MemberName(stringLiteral: withheldName),
            \.withheld,
            .emitted,
            .dictionaries,
            encode: { .withheld($0) },
            decode: { withheld($0) },
            """
            what the rules withhold now, each with Reason (s) and Message (s), and as far as they apply Activity (o),
            Device (s), DeviceName (s), Type (s), Kind (s), Value (s)
            """
        ),
    ]
}

/// The members of `org.handoffd.Rules1`.
package enum RulesInterface {
    private static let name = HandoffName.rulesInterface
    private static let kind = Argument("kind", .string, "app, type, site or device")

    package static let pause = MethodDeclaration(
        name,
        "Pause",
        "Pauses Handoff.",
        [Argument("until", .uint64, "the end of the pause in microseconds since 1970; 0 for none"), .options]
    )
    package static let resume = MethodDeclaration(name, "Resume", "Ends the pause.", [.options])
    package static let setReceiveOnly = MethodDeclaration(
        name,
        "SetReceiveOnly",
        "Sets whether this device offers nothing.",
        [Argument("receive_only", .boolean, "whether it only receives"), .options]
    )
    package static let setRule = MethodDeclaration(
        name,
        "SetRule",
        "Makes a rule, in place of an earlier one about the same.",
        [
            Argument("verdict", .string, "allow or deny"), kind,
            Argument(
                "value",
                .string,
                "the id of a desktop file, an activity type, a host, or the id of a device"
            ), .options,
        ]
    )
    package static let removeRule = MethodDeclaration(
        name,
        "RemoveRule",
        "Removes the rule about something.",
        [kind, Argument("value", .string, "what the rule is about"), .options]
    )

    package static let declaration = InterfaceDeclaration(
        name,
        "what the person at this device allows: pausing Handoff, receiving only, rules about what takes part",
        methods: [pause, resume, setReceiveOnly, setRule, removeRule],
        properties: RulesStatus.properties.map(\.declaration)
    )
}

/// The methods and properties of `org.handoffd.Rules1`, implemented by the daemon.
package protocol RulesHandler: Sendable {
    /// What the person allows now; read on the loop's thread, which it must not block.
    var status: RulesStatus { get }

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
            RulesInterface.declaration,
            methods: [
                RulesInterface.pause.served { invocation in
                    let end = try invocation.argument(0, as: UInt64.self)
                    return .doneAfter { try await handler.pause(until: end) }
                },
                RulesInterface.resume.served { _ in .doneAfter { try await handler.resume() } },
                RulesInterface.setReceiveOnly.served { invocation in
                    let isReceiveOnly = try invocation.argument(0, as: Bool.self)
                    return .doneAfter { try await handler.setReceiveOnly(isReceiveOnly) }
                },
                RulesInterface.setRule.served { invocation in
                    let rule = RuleDescription(
                        verdict: try invocation.argument(0),
                        kind: try invocation.argument(1),
                        value: try invocation.argument(2)
                    )
                    return .doneAfter { try await handler.setRule(rule) }
                },
                RulesInterface.removeRule.served { invocation in
                    let kind = try invocation.argument(0, as: String.self)
                    let value = try invocation.argument(1, as: String.self)
                    return .doneAfter { try await handler.removeRule(kind: kind, value: value) }
                },
            ],
            properties: RulesStatus.properties(of: { handler.status })
        )
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
