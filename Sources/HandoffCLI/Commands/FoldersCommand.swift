import ArgumentParser
import HandoffBus
import HandoffModel

/// `handoffctl folders`: the synchronised folders through which documents follow.
struct FoldersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "folders",
        abstract: "Show and change the synchronised folders through which documents follow.",
        discussion: """
            A folder that Syncthing, Nextcloud or the like keeps the same on your devices has one ID on all of them, and a
            PATH on each. Say the same ID on every device: documents inside follow an activity under it.
            """,
        subcommands: [ListFolders.self, AddFolder.self, RemoveFolder.self, CheckFolders.self],
        defaultSubcommand: ListFolders.self
    )

    @OptionGroup var options: GlobalOptions

    /// `handoffctl folders list`.
    struct ListFolders: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the folders.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await options.withClient { client, output in
                let folders = try await client.folders()
                try output.print(folders.map(FolderDocument.init), Self.text(folders))
            }
        }

        private static func text(_ folders: [FolderDescription]) -> String {
            guard !folders.isEmpty else { return "no folder yet; see `handoffctl folders --help`" }
            var table = Table("ID", "PATH", "STATE")
            for folder in folders {
                table.append(
                    folder.id,
                    printable(folder.path),
                    folder.problem.isEmpty ? "ok" : printable(folder.problem)
                )
            }
            return table.text
        }
    }

    /// `handoffctl folders add ID PATH`.
    struct AddFolder: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Say where a folder is on this device."
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "What the folder is called on all of your devices, such as its Syncthing folder ID.")
        var id: String

        @Argument(help: "Its directory on this device.")
        var path: String

        func run() async throws {
            let (id, path) = (id, try absolutePath(path))
            try await options.withClient { client, output in
                try await client.addFolder(id, at: path)
                try output.print(["id": id, "path": path], "documents in \(printable(path)) follow as \(id)")
            }
        }
    }

    /// `handoffctl folders remove ID`.
    struct RemoveFolder: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Forget a folder; the files in it stay as they are."
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "What the folder is called.")
        var id: String

        func run() async throws {
            let id = id
            try await options.withClient { client, output in
                try await client.removeFolder(id)
                try output.print(["id": id], "forgot \(id)")
            }
        }
    }

    /// `handoffctl folders check [FILE…]`.
    struct CheckFolders: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract:
                "Say whether the folders are there, or how files would follow; exit status 1 if something is wrong."
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "Files that should be able to follow.")
        var files: [String] = []

        func run() async throws {
            let files = try files.map(fileURL)
            try await options.withClient { client, output in try await Self.check(files, client, output) }
        }

        private static func check(_ files: [String], _ client: HandoffClient, _ output: Output) async throws {
            guard files.isEmpty else { return try await locate(files, client, output) }
            try report(try await client.folders(), output)
        }

        private static func report(_ folders: [FolderDescription], _ output: Output) throws {
            let faulty = folders.filter { !$0.problem.isEmpty }
            let lines = faulty.map { printable("\($0.id): \($0.problem)") }
            try output.print(
                faulty.map(FolderDocument.init),
                lines.isEmpty ? "all folders are there" : lines.joined(separator: "\n")
            )
            if !faulty.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
        }

        private static func locate(_ files: [String], _ client: HandoffClient, _ output: Output) async throws {
            for file in files {
                let location = try await client.locate(file)
                try output.print(["file": file, "location": location], printable(location))
            }
        }
    }
}

/// A synchronised folder as `--json` prints it.
struct FolderDocument: Encodable {
    let id: String
    let path: String
    /// Null when all is well.
    let problem: String?
    /// Whether it stands in the configuration file.
    let configured: Bool

    init(_ folder: FolderDescription) {
        id = folder.id
        path = folder.path
        problem = folder.problem.isEmpty ? nil : folder.problem
        configured = folder.isConfigured
    }
}
