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

/// The members of `org.handoffd.Documents1`.
package enum DocumentsInterface {
    private static let name = HandoffName.documentsInterface
    private static let url = Argument("url", .string, "a file: URL of this device")

    package static let listFolders = MethodDeclaration(
        name,
        "ListFolders",
        "Returns the folders, by id.",
        [.options],
        returns: [Argument("folders", .dictionaries, "for each ID (s), Path (s), Problem (s), Configured (b)")]
    )
    package static let addFolder = MethodDeclaration(
        name,
        "AddFolder",
        "Sets the directory of a folder on this device.",
        [
            Argument("id", .string, "the id of the folder, the same on all devices"),
            Argument("path", .string, "its directory here"), .options,
        ]
    )
    package static let removeFolder = MethodDeclaration(
        name,
        "RemoveFolder",
        "Forgets a folder; the files in it stay.",
        [Argument("id", .string, "the id of the folder"), .options]
    )
    package static let locate = MethodDeclaration(
        name,
        "Locate",
        "Returns the address under which a file is sent.",
        [url, .options],
        returns: [
            Argument("location", .string, "its handoff-folder: URL, with its folder and the path in it")
        ]
    )
    package static let documentTypes = MethodDeclaration(
        name,
        "DocumentTypes",
        "Returns the MIME type of a document, and the activity types to which apps bind that type.",
        [url, .options],
        returns: [
            Argument(
                "media_type",
                .string,
                "the MIME type, by the file's name, or by its content where the name does not tell it; empty for none"
            ),
            Argument("activity_types", .array(.string), "the most preferred first"),
        ]
    )
    /// The signals of the interface.
    package static let signals = [
        SignalDescription(
            name: "FoldersChanged",
            "A folder was added, moved or removed: list the folders again.",
            arguments: [.details]
        )
    ]

    package static let declaration = InterfaceDeclaration(
        name,
        "the synchronised folders through which documents are found on other devices",
        methods: [listFolders, addFolder, removeFolder, locate, documentTypes],
        signals: signals
    )
}

/// The methods of `org.handoffd.Documents1`, implemented by the daemon.
package protocol DocumentsHandler: Sendable {
    /// The synchronised folders, by id; may block while a drive does not answer.
    var folders: [FolderDescription] { get }
    /// Sets the path of a folder on this device.
    func addFolder(_ id: String, at path: String) async throws
    /// Removes a folder from the list; the files in it are kept.
    func removeFolder(_ id: String) async throws
    /// Returns the address under which a file is sent to another device; may block while a drive does not answer.
    func locate(_ url: String) throws -> String
    /// Returns the MIME type of a document, by its name, or by its content where the name does not tell it, empty for none; and
    /// the activity types that apps bind to it.
    func types(ofDocument url: String) throws -> (mediaType: String, activityTypes: [String])
}

extension Interface {
    /// `org.handoffd.Documents1`, served by `handler`.
    package static func documents(_ handler: some DocumentsHandler) -> Interface {
        Interface(
            DocumentsInterface.declaration,
            methods: [
                DocumentsInterface.listFolders.served { _ in
                    .deferred { [.dictionaries(handler.folders.map(\.value))] }
                },
                DocumentsInterface.addFolder.served { invocation in
                    let id = try invocation.argument(0, as: String.self)
                    let path = try invocation.argument(1, as: String.self)
                    return .doneAfter { try await handler.addFolder(id, at: path) }
                },
                DocumentsInterface.removeFolder.served { invocation in
                    let id = try invocation.argument(0, as: String.self)
                    return .doneAfter { try await handler.removeFolder(id) }
                },
                DocumentsInterface.locate.served { invocation in
                    let url = try invocation.argument(0, as: String.self)
                    return .deferred { [.string(try handler.locate(url))] }
                },
                DocumentsInterface.documentTypes.served { invocation in
                    let url = try invocation.argument(0, as: String.self)
                    return .deferred {
                        let types = try handler.types(ofDocument: url)
                        return [.string(types.mediaType), types.activityTypes.value]
                    }
                },
            ]
        )
    }
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
