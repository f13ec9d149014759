import ArgumentParser
import struct DBus.DBusError
import HandoffBus
import HandoffModel

/// `handoffctl folders`: lists and changes the synchronised folders.
struct FoldersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "folders",
        abstract: "List and change the synchronised folders.",
        discussion: """
            A folder that Syncthing, Nextcloud or the like synchronises between your devices
            has the same ID on all of them and its own PATH on each. Add it on every device:
            activities can then refer to the documents in it.
            """,
        subcommands: [ListFolders.self, AddFolder.self, RemoveFolder.self, CheckFolders.self],
        defaultSubcommand: ListFolders.self
    )

    @OptionGroup var options: GlobalOptions

    /// `handoffctl folders list`.
    struct ListFolders: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the folders.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await options.withClient { client, output in
                let folders = try await client.folders()
                try output.print(folders.map(FolderDocument.init), Self.text(folders))
            }
        }

        private static func text(_ folders: [FolderDescription]) -> String {
            guard !folders.isEmpty else { return "no folders yet; see `handoffctl folders --help`" }
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
            abstract: "Set the path of a folder on this device."
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The id on all devices, such as the Syncthing folder ID.")
        var id: String

        @Argument(help: "Its directory on this device.", completion: .directory)
        var path: String

        func run() async throws {
            let (id, path) = (id, try absolutePath(path))
            try await options.withClient { client, output in
                try await client.addFolder(id, at: path)
                try output.print(["id": id, "path": path], "added \(printable(path)) as \(id)")
            }
        }
    }

    /// `handoffctl folders remove ID`.
    struct RemoveFolder: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Forget a folder, without changing the files in it."
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The id of the folder.", completion: KnownNames.folders.completion)
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
            abstract: "Check the folders, or show where files are in them.",
            discussion: """
                The exit status is 1 if a folder cannot be used. With files, all of them are
                checked; the status is that of the first that cannot follow.
                """
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The files to check, instead of the folders.", completion: .file())
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
                lines.isEmpty ? "all folders exist" : lines.joined(separator: "\n")
            )
            if !faulty.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
        }

        private static func locate(_ files: [String], _ client: HandoffClient, _ output: Output) async throws {
            var status: ExitStatus?
            for file in files {
                do {
                    let location = try await client.locate(file)
                    try output.print(["file": file, "location": location], printable(location))
                } catch let error as DBusError where error.code == .remote && !DaemonAbsence.isIndicated(by: error) {
                    // The files after it are of interest as well; the status is that of the first that fails.
                    status = status ?? ExitStatus(error)
                    guard output.isJSON else {
                        output.note(printable(error.message))
                        continue
                    }
                    try output.print(["file": file, "problem": error.message], "")
                }
            }
            if let status { throw ExitCode(status.rawValue) }
        }
    }
}

/// A synchronised folder as `--json` prints it.
struct FolderDocument: Encodable {
    let id: String
    let path: String
    /// Why the folder cannot be used; nil if it can.
    let problem: String?
    /// Whether it is in the configuration file.
    let configured: Bool

    init(_ folder: FolderDescription) {
        id = folder.id
        path = folder.path
        problem = folder.problem.isEmpty ? nil : folder.problem
        configured = folder.isConfigured
    }
}
