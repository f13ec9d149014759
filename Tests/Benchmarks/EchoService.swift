import DBus
import Glibc

/// The names of the services with which the bus is measured, and the service in Swift.
enum EchoService {
    static let swift: BusName = "org.example.Echo.Swift"
    static let python: BusName = "org.example.Echo.Python"
    static let path: ObjectPath = "/org/example/Echo"
    static let interface: InterfaceName = "org.example.Echo"
    static let text = "A sentence of about fifty bytes, as names are long."

    /// Serves until the process is killed.
    static func run(on bus: BusAddress) async throws {
        let text = [Argument(name: "text", type: .string)]
        let echo = Method(name: "Echo", inputs: text, outputs: text) { .reply($0.arguments) }
        try await Connection.withConnection(to: bus) { connection in
            connection.objects.insert([Interface(name: interface, methods: [echo])], at: path)
            try await connection.withName(swift) {
                print("ready")
                // Standard output is a pipe, so it is buffered.
                fflush(nil)
                for await _ in AsyncStream<Never>.makeStream().stream {}
            }
        }
    }
}
