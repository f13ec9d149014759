package import DBus
package import Foundation
import TestRuns

/// A message bus for one test: a real dbus-daemon to which only the test's programs connect.
package struct PrivateBus: Sendable {
    /// The address of the bus.
    package let address: BusAddress

    private let daemon: ChildProcess

    fileprivate init(address: BusAddress, daemon: ChildProcess) {
        self.address = address
        self.daemon = daemon
    }

    /// The environment with which a program uses this bus as both session bus and system bus.
    package var environment: [String: String] {
        ["DBUS_SESSION_BUS_ADDRESS": address.description, "DBUS_SYSTEM_BUS_ADDRESS": address.description]
    }

    /// The process id of the dbus-daemon.
    package var processID: Int32 { daemon.processID }

    /// Kills the dbus-daemon, and waits for its end.
    package func terminate() async {
        daemon.kill()
        _ = await daemon.exitStatus()
    }
}

/// Starts a bus, runs `body`, and has killed and reaped the bus when it returns.
///
/// - Parameter directory: the directory of the bus's socket, which is not removed; a bus that is started there later
///   has the same address. Without it, each bus has its own directory, which is removed.
/// - Parameter services: the directory with the service files of the bus; without it, the bus starts no service.
/// - Throws: the error of `body`; `MissingProgram` if dbus-daemon is not installed.
package func withPrivateBus<T>(
    in directory: URL? = nil,
    services: URL? = nil,
    _ body: (PrivateBus) async throws -> T
) async throws -> T {
    guard let directory else {
        let directory = URL.temporaryDirectory.appending(path: "bus-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await withPrivateBus(in: directory, services: services, body)
    }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let configuration = directory.appending(path: "bus.conf")
    try Data(busConfiguration(directory.path(), services).utf8).write(to: configuration)
    let arguments = ["--config-file=\(configuration.path())", "--print-address", "--nofork", "--nosyslog"]
    return try await takingInstances {
        try await withProgram("/usr/bin/dbus-daemon", arguments) { daemon in
            guard await daemon.stdout.firstLine() != nil else {
                throw MissingProgram(description: "dbus-daemon did not start: \(await daemon.stderr.text())")
            }
            // Not the printed address, since its GUID differs for a later bus at the same socket.
            return try await body(PrivateBus(address: .address("unix:path=\(directory.path())/bus"), daemon: daemon))
        }
    }
}

/// A configuration that allows every call, as on a session bus.
private func busConfiguration(_ directory: String, _ services: URL?) -> String {
    let services = services.map { "<servicedir>\($0.path())</servicedir>" } ?? ""
    return """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(directory)/bus</listen>
          \(services)
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
          <limit name="max_incoming_bytes">1000000000</limit>
          <limit name="max_outgoing_bytes">1000000000</limit>
          <limit name="max_message_size">1000000000</limit>
          <limit name="max_replies_per_connection">50000</limit>
          <limit name="max_match_rules_per_connection">50000</limit>
          <limit name="reply_timeout">120000</limit>
        </busconfig>
        """
}
