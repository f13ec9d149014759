import BlueZTestSupport
import DBus
import Glibc

/// Runs a bluetoothd without a kernel, for programs that are measured with it.
///
///     fake-bluetoothd BUS
///
/// It has one adapter, `hci0`, on which nobody is ever heard. It prints `ready` once it serves calls, and runs until it is
/// killed.
@main
enum FakeBluetoothdProgram {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: fake-bluetoothd BUS")
            exit(EX_USAGE)
        }
        try await withFakeBluetoothd(on: BusAddress(argument: CommandLine.arguments[1])) { fake in
            let adapter = fake.addAdapter()
            fake.addAdvertising(to: adapter)
            fake.addGATT(to: adapter)
            print("ready")
            // Standard output is a pipe, so it is buffered.
            fflush(nil)
            for await _ in AsyncStream<Never>.makeStream().stream {}
        }
    }
}
