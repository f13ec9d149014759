import ArgumentParser
import HandoffBus

extension DevicesCommand {
    /// `handoffctl devices rename ID NAME`.
    struct RenameDevice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Rename a device, which can be this one.",
            discussion: """
                The new name applies on all devices of the circle; those out of range get it
                when they are near again. `handoffctl status` shows the id of this device.
                """
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The id of the device, or its first characters.")
        var id: String

        @Argument(help: "The new name: 1 to 64 bytes of printable text.")
        var name: String

        func run() async throws {
            let (id, name) = (id, name)
            try await options.withClient { client, output in
                let own = try await client.status().deviceID
                if !id.isEmpty, own.hasPrefix(id.lowercased()) {
                    try await client.rename(device: HandoffName.root, to: name)
                    return try output.print(["id": own, "name": name], "this device is now called \(printable(name))")
                }
                let device = try await client.device(withPrefix: id)
                try await client.rename(device: device.path, to: name)
                let renamed = ["id": device.id, "name": name]
                try output.print(renamed, "\(printable(device.name)) is now called \(printable(name))")
            }
        }
    }
}
