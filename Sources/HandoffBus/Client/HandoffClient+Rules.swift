import DBus

extension HandoffClient {
    /// Returns what the person at this device allows, and what is withheld.
    package func rules() async throws -> RulesStatus {
        RulesStatus(try await properties(of: HandoffName.rulesInterface))
    }

    /// Pauses Handoff until a time in microseconds since 1970; 0 for no end.
    package func pause(until end: UInt64) async throws {
        _ = try await call(RulesInterface.pause, [.uint64(end), .noOptions])
    }

    /// Ends the pause.
    package func resume() async throws {
        _ = try await call(RulesInterface.resume)
    }

    /// Sets whether this device offers nothing.
    package func setReceiveOnly(_ isReceiveOnly: Bool) async throws {
        _ = try await call(RulesInterface.setReceiveOnly, [.boolean(isReceiveOnly), .noOptions])
    }

    /// Makes a rule, in place of an earlier one about the same.
    package func setRule(_ rule: RuleDescription) async throws {
        _ = try await call(
            RulesInterface.setRule,
            [.string(rule.verdict), .string(rule.kind), .string(rule.value), .noOptions]
        )
    }

    /// Removes the rule about something.
    package func removeRule(kind: String, value: String) async throws {
        _ = try await call(RulesInterface.removeRule, [.string(kind), .string(value), .noOptions])
    }

    /// Makes the daemon read its configuration again.
    package func reload() async throws -> ReloadResult {
        let reply = try await call(SettingsInterface.reload)
        return ReloadResult(
            applied: reply.first?.array?.compactMap(\.string) ?? [],
            needRestart: reply.last?.array?.compactMap(\.string) ?? []
        )
    }

    /// Returns the settings that hold after a restart only.
    package func settingsThatNeedRestart() async throws -> [String] {
        let properties = try await properties(of: HandoffName.settingsInterface)
        return properties[SettingsInterface.needRestart.name.description]?.array?.compactMap(\.string) ?? []
    }
}
