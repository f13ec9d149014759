package import DBus

extension HandoffClient {
    /// The synchronised folders, by id.
    package func folders() async throws -> [FolderDescription] {
        let reply = try await call(DocumentsInterface.listFolders)
        return reply.first?.array?.compactMap(\.stringDictionary).map(FolderDescription.init) ?? []
    }

    /// Sets the path of a folder on this device.
    package func addFolder(_ id: String, at path: String) async throws {
        _ = try await call(DocumentsInterface.addFolder, [.string(id), .string(path), .noOptions])
    }

    /// Removes a folder from the list; the files in it are kept.
    package func removeFolder(_ id: String) async throws {
        _ = try await call(DocumentsInterface.removeFolder, [.string(id), .noOptions])
    }

    /// Returns the address under which a file is sent to another device.
    package func locate(_ url: String) async throws -> String {
        try await call(DocumentsInterface.locate, [.string(url), .noOptions]).decode(at: 0, as: String.self)
    }

    /// Returns the MIME type of a document, by its name, or by its content where the name does not tell it, empty for none; and
    /// the activity types that apps bind to it.
    package func types(ofDocument url: String) async throws -> (mediaType: String, activityTypes: [String]) {
        let reply = try await call(DocumentsInterface.documentTypes, [.string(url), .noOptions])
        return (try reply.decode(at: 0, as: String.self), reply.last?.array?.compactMap(\.string) ?? [])
    }

    /// Returns why the document of an activity is not available on other devices now; empty when it is.
    package func documentProblem(of activity: ObjectPath) async throws -> String {
        try await property(ActivityInterface.documentProblem, of: activity)?.string ?? ""
    }

    /// Returns the size of an activity as it is sent, in bytes.
    package func encodedSize(of activity: ObjectPath) async throws -> Int {
        Int(try await property(ActivityInterface.encodedSize, of: activity)?.uint32 ?? 0)
    }

    /// Returns a property of an activity.
    private func property(_ property: PropertyDeclaration, of activity: ObjectPath) async throws -> Value? {
        let reply = try await connection.call(
            MethodCall(
                destination: HandoffName.control,
                path: activity,
                interface: "org.freedesktop.DBus.Properties",
                member: "Get",
                arguments: [.string(HandoffName.activityInterface.description), .string(property.name.description)]
            )
        )
        return reply.first?.unwrapped
    }
}
