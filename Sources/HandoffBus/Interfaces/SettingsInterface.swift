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

/// The members of `org.handoffd.Settings1`.
package enum SettingsInterface {
    private static let name = HandoffName.settingsInterface

    package static let reload = MethodDeclaration(
        name,
        "Reload",
        "Reads the configuration files again.",
        [.options],
        returns: [
            Argument("applied", .array(.string), "the keys of the settings that have changed"),
            Argument("need_restart", .array(.string), "the keys of those that hold after a restart of the daemon"),
        ]
    )
    package static let needRestart = PropertyDeclaration(
        "NeedRestart",
        .array(.string),
        .emitted,
        "the keys of the settings that hold after a restart of the daemon"
    )

    package static let declaration = InterfaceDeclaration(
        name,
        "the settings of the daemon while it runs",
        methods: [reload],
        properties: [needRestart]
    )
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
        let reload = SettingsInterface.reload.served { _ in
            .deferred {
                let result = try await handler.reload()
                return [result.applied.value, result.needRestart.value]
            }
        }
        let needRestart = SettingsInterface.needRestart.served { handler.needRestart.value }
        return Interface(SettingsInterface.declaration, methods: [reload], properties: [needRestart])
    }
}
