package import DBus

/// A synchronised folder, as exported by `org.handoffd.Documents1`.
package struct FolderDescription: Hashable, Sendable {
    /// The id that it has on all of the user's devices.
    package let id: String
    /// Its path on this device.
    package let path: String
    /// Why its files are not available now; empty when they are.
    package let problem: String
    /// Whether it is defined in the configuration file, and has to be changed there.
    package let isConfigured: Bool

    package init(id: String, path: String, problem: String, isConfigured: Bool) {
        self.id = id
        self.path = path
        self.problem = problem
        self.isConfigured = isConfigured
    }

    var value: [String: Value] {
        ["ID": .string(id), "Path": .string(path), "Problem": .string(problem), "Configured": .boolean(isConfigured)]
    }

    init(_ properties: [String: Value]) {
        id = properties["ID"]?.string ?? ""
        path = properties["Path"]?.string ?? ""
        problem = properties["Problem"]?.string ?? ""
        isConfigured = properties["Configured"]?.boolean ?? false
    }
}

/// The methods of `org.handoffd.Documents1`, implemented by the daemon.
package protocol DocumentsHandler: Sendable {
    /// The synchronised folders, by id.
    var folders: [FolderDescription] { get }
    /// Sets the path of a folder on this device.
    func addFolder(_ id: String, at path: String) async throws
    /// Removes a folder from the list; the files in it are kept.
    func removeFolder(_ id: String) async throws
    /// Returns the address under which a file is sent to another device.
    func locate(_ url: String) throws -> String
    /// Returns the MIME type of a document, empty when its name does not determine one, and the activity types that
    /// apps bind to it.
    func types(ofDocument url: String) throws -> (mediaType: String, activityTypes: [String])
}

extension Interface {
    /// `org.handoffd.Documents1`, served by `handler`.
    package static func documents(_ handler: some DocumentsHandler) -> Interface {
        let url = Argument(name: "url", type: .string)
        let id = Argument(name: "id", type: .string)
        return Interface(
            name: HandoffName.documentsInterface,
            methods: [
                Method(
                    name: "ListFolders",
                    inputs: [.options],
                    outputs: [Argument(name: "folders", type: .dictionaries)]
                ) { _ in
                    .reply([.dictionaries(handler.folders.map(\.value))])
                },
                Method(
                    name: "AddFolder",
                    inputs: [id, Argument(name: "path", type: .string), .options]
                ) { invocation in
                    let id = try invocation.arguments.decode(at: 0, as: String.self)
                    let path = try invocation.arguments.decode(at: 1, as: String.self)
                    return .deferred {
                        try await handler.addFolder(id, at: path)
                        return []
                    }
                },
                Method(name: "RemoveFolder", inputs: [id, .options]) { invocation in
                    let id = try invocation.arguments.decode(at: 0, as: String.self)
                    return .deferred {
                        try await handler.removeFolder(id)
                        return []
                    }
                },
                Method(
                    name: "Locate",
                    inputs: [url, .options],
                    outputs: [Argument(name: "location", type: .string)]
                ) { invocation in
                    .reply([.string(try handler.locate(try invocation.arguments.decode(at: 0, as: String.self)))])
                },
                Method(
                    name: "DocumentTypes",
                    inputs: [url, .options],
                    outputs: [
                        Argument(name: "media_type", type: .string),
                        Argument(name: "activity_types", type: .array(.string)),
                    ]
                ) { invocation in
                    let url = try invocation.arguments.decode(at: 0, as: String.self)
                    let types = try handler.types(ofDocument: url)
                    return .reply([.string(types.mediaType), types.activityTypes.value])
                },
            ],
            signals: documentsSignals
        ).annotatedForCodeGenerators()
    }

    /// The signals of `org.handoffd.Documents1`.
    package static let documentsSignals = [SignalDescription(name: "FoldersChanged", arguments: [.details])]
}

extension Signal {
    /// A folder was added, moved or removed.
    package static let foldersChanged = Signal(
        path: HandoffName.root,
        interface: HandoffName.documentsInterface,
        member: "FoldersChanged",
        arguments: [.noOptions]
    )
}
