package import DBus

extension Interface {
    /// Returns the part of the interface that apps get under `org.handoffd.Handoff1`.
    ///
    /// Methods that are not in it answer with `NotForApps`; properties and signals that are not in it are left out. What
    /// is not listed here is not for apps, so that a new interface or method is not opened to them by accident.
    package func limitedToApps() -> Interface {
        let part = Self.partForApps[name] ?? (methods: [], properties: [])
        return Interface(
            name: name,
            methods: methods.map { part.methods.contains($0.name) ? $0 : $0.refusingApps(on: name) },
            properties: properties.filter { part.properties.contains($0.name) },
            annotations: annotations
        )
    }

    /// What apps get of the interfaces of the daemon's own object.
    private static let partForApps: [InterfaceName: (methods: Set<MemberName>, properties: Set<MemberName>)] = [
        HandoffName.managerInterface: (
            methods: Set(
                [
                    ManagerInterface.createActivity, ManagerInterface.openStream, ManagerInterface.confirmStream,
                    ManagerInterface.cancelStream,
                ].map(\.name)
            ),
            properties: ["Version", "ProtocolVersion", "RadioState"]
        )
    ]

    /// The properties of `Manager1` that apps may read, for change signals.
    package static func isForApps(_ property: String) -> Bool {
        partForApps[HandoffName.managerInterface]?.properties.contains { $0.description == property } ?? false
    }
}

extension Method {
    fileprivate func refusingApps(on interface: InterfaceName) -> Method {
        let name = name
        return handled { _ in
            throw HandoffErrorName.notForApps.reply(
                "\(interface).\(name) is not for apps: programs that run outside a sandbox call it at "
                    + "\(HandoffName.control)."
            )
        }
    }
}
