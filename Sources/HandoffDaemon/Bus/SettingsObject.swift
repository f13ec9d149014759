import HandoffBus

/// Implements `Settings1`.
struct SettingsObject: SettingsHandler {
    let reloader: SettingsReloader

    var needRestart: [String] { reloader.needRestart }

    func reload() async throws -> ReloadResult { try await reloader.reload() }
}
