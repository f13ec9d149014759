import ArgumentParser
import AsyncSupport
import DBus
import HandoffBus
import HandoffModel

/// What the shells offer while an argument is typed: numbers, ids and names that the daemon knows.
///
/// A daemon that is not running is not started for it, and one that does not answer in time offers nothing.
enum KnownNames: Sendable {
    /// The numbers of nearby activities.
    case nearbyNumbers
    /// The types of nearby activities.
    case nearbyTypes
    /// The types that apps here continue.
    case appTypes
    case apps
    case devices
    case folders
    /// What the rule is about, by the kind that was typed before.
    case ruleSubjects

    /// A person waits for the answer at each press of the key.
    private static let patience = Duration.milliseconds(500)

    /// The completion for an argument or an option.
    var completion: CompletionKind { .custom { words, _, _ in await self.names(after: words) } }

    /// Returns the names for a command line that was typed so far; empty when the daemon cannot tell.
    private func names(after words: [String]) async -> [String] {
        let option = words.firstIndex(of: "--bus").map { words.index(after: $0) }
        let bus = option.flatMap { words.indices.contains($0) ? words[$0] : nil } ?? "session"
        let found = try? await withTimeout(Self.patience) {
            try await Connection.withConnection(to: BusAddress(argument: bus)) { connection in
                guard try await connection.owner(of: HandoffName.control) != nil else { return [String]() }
                return try await names(after: words, HandoffClient(connection: connection))
            }
        }
        return Set((found ?? nil) ?? []).filter(Self.needsNoQuotes).sorted()
    }

    private func names(after words: [String], _ client: HandoffClient) async throws -> [String] {
        switch self {
        case .nearbyNumbers: try await client.objects().nearby.map { "\($0.id)" }
        case .nearbyTypes: try await client.objects().nearby.map(\.type)
        case .appTypes: try await client.apps().apps.flatMap(\.types)
        case .apps: try await client.apps().apps.map(\.id)
        case .devices: try await client.knownDevices().flatMap { [$0.name, $0.id] }
        case .folders: try await client.folders().map(\.id)
        case .ruleSubjects: try await ruleSubjects(after: words, client)
        }
    }

    private func ruleSubjects(after words: [String], _ client: HandoffClient) async throws -> [String] {
        if words.contains("remove") { return try await client.rules().rules.map(\.value) }
        if words.contains("app") { return try await KnownNames.apps.names(after: words, client) }
        if words.contains("device") { return try await KnownNames.devices.names(after: words, client) }
        guard words.contains("type") else { return [] }
        return try await KnownNames.appTypes.names(after: words, client)
            + KnownNames.nearbyTypes.names(after: words, client)
    }

    /// Whether each shell takes the name as one word: a name of a device may have spaces, and its id has none.
    private static func needsNoQuotes(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "-_.".unicodeScalars.contains(scalar)
            }
    }
}
