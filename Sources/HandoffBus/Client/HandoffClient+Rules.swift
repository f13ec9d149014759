import DBus

extension HandoffClient {
    /// Returns what the person at this device allows, and what is withheld.
    package func rules() async throws -> RulesStatus {
        RulesStatus(try await properties(of: HandoffName.rulesInterface))
    }

    /// Pauses Handoff until a time in microseconds since 1970; 0 for no end.
    package func pause(until end: UInt64) async throws {
        _ = try await callRules("Pause", [.uint64(end)])
    }

    /// Ends the pause.
    package func resume() async throws {
        _ = try await callRules("Resume", [])
    }

    /// Sets whether this device offers nothing.
    package func setReceiveOnly(_ isReceiveOnly: Bool) async throws {
        _ = try await callRules("SetReceiveOnly", [.boolean(isReceiveOnly)])
    }

    /// Makes a rule, in place of an earlier one about the same.
    package func setRule(_ rule: RuleDescription) async throws {
        _ = try await callRules("SetRule", [.string(rule.verdict), .string(rule.kind), .string(rule.value)])
    }

    /// Removes the rule about something.
    package func removeRule(kind: String, value: String) async throws {
        _ = try await callRules("RemoveRule", [.string(kind), .string(value)])
    }

    /// Makes the daemon read its configuration again.
    package func reload() async throws -> ReloadResult {
        let reply = try await call(HandoffName.settingsInterface, "Reload", [.noOptions])
        return ReloadResult(
            applied: reply.first?.array?.compactMap(\.string) ?? [],
            needRestart: reply.last?.array?.compactMap(\.string) ?? []
        )
    }

    /// Returns the settings that hold after a restart only.
    package func settingsThatNeedRestart() async throws -> [String] {
        let properties = try await properties(of: HandoffName.settingsInterface)
        return properties["NeedRestart"]?.array?.compactMap(\.string) ?? []
    }

    private func properties(of interface: InterfaceName) async throws -> [String: Value] {
        let reply = try await call("org.freedesktop.DBus.Properties", "GetAll", [.string(interface.description)])
        return reply.first?.stringDictionary ?? [:]
    }

    private func callRules(_ member: MemberName, _ arguments: [Value]) async throws -> [Value] {
        try await call(HandoffName.rulesInterface, member, arguments + [.noOptions])
    }

    private func call(_ interface: InterfaceName, _ member: MemberName, _ arguments: [Value]) async throws -> [Value] {
        try await connection.call(
            MethodCall(
                destination: HandoffName.control,
                path: HandoffName.root,
                interface: interface,
                member: member,
                arguments: arguments
            )
        )
    }
}
