import ArgumentParser
import HandoffBus

extension DevicesCommand {
    /// `handoffctl devices rename DEVICE NAME`.
    struct RenameDevice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Rename a device, which can be this one.",
            discussion: """
                The new name applies on all devices of the circle; those out of range get it
                when they are near again. `handoffctl status` shows the name of this device.
                """
        )

        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "The name of the device, its id, or the beginning of its id.",
            completion: KnownNames.devices.completion
        )
        var device: String

        @Argument(help: "The new name: 1 to 64 bytes of printable text.")
        var name: String

        func run() async throws {
            let (text, name) = (device, name)
            try await options.withClient { client, output in
                switch try KnownDevice.named(text, among: try await client.knownDevices()) {
                case .own(let id, _):
                    try await client.rename(device: HandoffName.root, to: name)
                    try output.print(["id": id, "name": name], "this device is now called \(printable(name))")
                case .trusted(let device):
                    try await client.rename(device: device.path, to: name)
                    let renamed = ["id": device.id, "name": name]
                    try output.print(renamed, "\(printable(device.name)) is now called \(printable(name))")
                case .unconfirmed(let device): throw Self.notTrusted(device.name)
                case .questionable(let question): throw Self.notTrusted(question.name)
                }
            }
        }

        private static func notTrusted(_ name: String) -> CommandFailure {
            CommandFailure(
                status: .notFound,
                message: "\(printable(name)) is not trusted (yet), so it cannot be renamed. See `handoffctl devices`."
            )
        }
    }
}
