import ArgumentParser
import HandoffBus

extension DevicesCommand {
    /// `handoffctl devices rename ID NAME`.
    struct RenameDevice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Give a device, this one too, another name.",
            discussion: """
                The name counts on all devices that trust each other; those that are away get it when they are met. The id of
                this device is in `handoffctl status`.
                """
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The device's id, or the beginning of it.")
        var id: String

        @Argument(help: "The new name: 1 to 64 bytes of printable text.")
        var name: String

        func run() async throws {
            let (id, name) = (id, name)
            try await options.withClient { client, output in
                let own = try await client.status().deviceID
                if !id.isEmpty, own.hasPrefix(id.lowercased()) {
                    try await client.rename(device: HandoffName.root, to: name)
                    return try output.print(["id": own, "name": name], "this device is called \(printable(name)) now")
                }
                let device = try await client.device(withPrefix: id)
                try await client.rename(device: device.path, to: name)
                let renamed = ["id": device.id, "name": name]
                try output.print(renamed, "\(printable(device.name)) is called \(printable(name)) now")
            }
        }
    }
}
