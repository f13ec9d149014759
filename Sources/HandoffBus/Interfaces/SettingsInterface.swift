package import DBus

/// What reading the configuration again has changed.
package struct ReloadResult: Hashable, Sendable, Encodable {
    /// The settings that have changed and hold from now on, by their keys.
    package let applied: [String]
    /// The settings that differ from those with which the daemon runs, and hold after a restart.
    package let needRestart: [String]

    package init(applied: [String], needRestart: [String]) {
        self.applied = applied
        self.needRestart = needRestart
    }
}

/// The methods and properties of `org.handoffd.Settings1`, implemented by the daemon.
package protocol SettingsHandler: Sendable {
    /// The settings that hold after a restart only, as they were when the configuration was read last.
    var needRestart: [String] { get }
    /// Reads the configuration again, and applies it.
    func reload() async throws -> ReloadResult
}

extension Interface {
    /// `org.handoffd.Settings1`, served by `handler`.
    package static func settings(_ handler: some SettingsHandler) -> Interface {
        let reload = Method(
            name: "Reload",
            inputs: [.options],
            outputs: [
                Argument(name: "applied", type: .array(.string)), Argument(name: "need_restart", type: .array(.string)),
            ]
        ) { _ in
            .deferred {
                let result = try await handler.reload()
                return [result.applied.value, result.needRestart.value]
            }
        }
        return Interface(
            name: HandoffName.settingsInterface,
            methods: [reload],
            properties: [Property(name: "NeedRestart", type: .array(.string)) { handler.needRestart.value }]
        ).annotatedForCodeGenerators()
    }
}
