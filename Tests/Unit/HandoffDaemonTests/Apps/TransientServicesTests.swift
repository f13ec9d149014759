import AsyncSupport
import DBus
import HandoffTestSupport
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("A program that is a service of the user's systemd ends when it shall", .endsWithin(minutes: 10, instances: 1))
struct TransientServicesTests {
    private static let service = TransientService(name: "app-a@1.service", path: "/org/freedesktop/systemd1/unit/a")

    @Test("Its unit is stopped, and its exit status is that of the signal")
    func stopped() async throws {
        let ended = Promise<Void>()
        let released = Promise<String>()
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { systemd in
                Self.insert(into: systemd, ended, released)
                try await systemd.withName("org.freedesktop.systemd1") {
                    try await Connection.withConnection(to: bus.address) { connection in
                        let stopping = Promise<Void>()
                        stopping.fulfil(())
                        let services = TransientServices(connection: connection)
                        let status = try await services.waitForExit(of: Self.service, unless: stopping)
                        let name = try await released.value()
                        #expect(status == 143 && name == Self.service.name)
                    }
                }
            }
        }
    }

    /// A systemd whose only unit ends when it is told to stop it.
    private static func insert(into systemd: Connection, _ ended: Promise<Void>, _ released: Promise<String>) {
        let stop = Method(
            name: "StopUnit",
            inputs: [Argument(name: "name", type: .string), Argument(name: "mode", type: .string)],
            outputs: [Argument(name: "job", type: .objectPath)]
        ) { call in
            let words = call.arguments.map { $0.string ?? "" }
            #expect(words == [service.name, "replace"])
            ended.fulfil(())
            systemd.objects.propertiesChanged(
                at: service.path,
                interface: "org.freedesktop.systemd1.Service",
                [:],
                invalidated: ["ExecMainCode", "ExecMainStatus"]
            )
            return .reply([.objectPath("/org/freedesktop/systemd1/job/1")])
        }
        let release = Method(name: "UnrefUnit", inputs: [Argument(name: "name", type: .string)]) { call in
            released.fulfil(try call.arguments.decode(at: 0, as: String.self))
            return .reply([])
        }
        let manager = Interface(name: "org.freedesktop.systemd1.Manager", methods: [stop, release])
        systemd.objects.insert([manager], at: "/org/freedesktop/systemd1")
        // waitid(2): CLD_KILLED is 2, by SIGTERM.
        let values: [(MemberName, Int32)] = [("ExecMainCode", 2), ("ExecMainStatus", 15)]
        let properties = values.map { name, value in
            Property(name: name, type: .int32) { .int32(ended.valueIfSet == nil ? 0 : value) }
        }
        let unit = Interface(name: "org.freedesktop.systemd1.Service", properties: properties)
        systemd.objects.insert([unit], at: service.path)
    }
}
