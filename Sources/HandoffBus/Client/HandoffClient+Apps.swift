import DBus

extension HandoffClient {
    /// Returns the apps that continue activities, and the desktop files that cannot be used.
    package func apps() async throws -> (apps: [AppDescription], faults: [AppFileFault]) {
        let reply = try await call(AppsInterface.listApps)
        let apps = reply.first?.dictionaries.map(AppDescription.init)
        let faults = reply.dropFirst().first?.dictionaries.map(AppFileFault.init)
        return (apps ?? [], faults ?? [])
    }

    /// Makes an app the default for activities of a type; an empty id removes the default.
    package func setDefault(_ app: String, for type: String) async throws {
        _ = try await call(AppsInterface.setDefault, [.string(type), .string(app), .noOptions])
    }

    /// Returns the types of documents that are opened without a question, each with the id of the app.
    package func confirmedTypes() async throws -> [(type: String, app: String)] {
        let reply = try await call(AppsInterface.listConfirmedTypes)
        return (reply.first?.dictionaries ?? []).map { ($0["Type"]?.string ?? "", $0["App"]?.string ?? "") }
    }

    /// Has the user asked again before documents of a type are opened in an app.
    package func removeConfirmedType(_ type: String, for app: String) async throws {
        _ = try await call(AppsInterface.removeConfirmedType, [.string(type), .string(app), .noOptions])
    }

    /// Has the sites of all domains that apps claim asked again; returns before they have answered.
    package func checkDomains() async throws {
        _ = try await call(AppsInterface.checkDomains)
    }
}
