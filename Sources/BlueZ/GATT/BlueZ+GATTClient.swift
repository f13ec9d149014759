import AsyncSupport
package import Bluetooth
package import DBus

extension BlueZ {
    /// Connects to the device at `address`, which was discovered recently, and reads its GATT services; when `body`
    /// ends, disconnects and removes the device from bluetoothd, unless the device was connected before.
    ///
    /// bluetoothd chooses the bearer itself and may page a device with a public address over BR/EDR (bluez
    /// src/device.c, select_conn_bearer): use it as a fallback, not as the first choice. `timeout` bounds the time
    /// until the services are resolved, not `body`.
    ///
    /// - Throws: ``BlueZError`` with `deviceAbsent`, `timedOut` or `connectFailed`, or with the reason why the adapter
    ///   was lost; otherwise what `body` throws.
    package func withDevice<Success: Sendable>(
        _ address: BluetoothAddress,
        on adapter: Adapter,
        timeout: Duration,
        _ body: (GATTPeer) async throws -> Success
    ) async throws -> Success {
        let before = try await device(address, on: adapter)
        let result: Result<Success, any Error> = await Result {
            try await withBackgroundTasks([{ try await self.watch(adapter) }]) {
                try await body(try await connectedDevice(address, on: adapter, timeout: timeout))
            }
        }
        if !before.isConnected {
            await disconnect(address, on: adapter)
            await forget(address, on: adapter)
        }
        return try result.get()
    }

    /// Connects to the device at `address` and reads its GATT services, unless that is done already.
    ///
    /// The caller has to end the link: ``disconnect(_:on:limit:)``, ``forget(_:on:)``.
    ///
    /// - Throws: ``BlueZError`` with `deviceAbsent`, `timedOut` or `connectFailed`.
    package func connectedDevice(
        _ address: BluetoothAddress,
        on adapter: Adapter,
        timeout: Duration
    ) async throws -> GATTPeer {
        let device = try await device(address, on: adapter)
        if !device.isConnected || !device.hasServices { try await connect(device.path, timeout: timeout) }
        return GATTPeer(bluez: self, path: device.path)
    }

    /// Waits until the device at `path` is disconnected.
    package func waitForDisconnection(of path: ObjectPath) async throws {
        let rule = MatchRule(
            sender: Names.service,
            path: path,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged"
        )
        try await connection.withSignals(rule) { signals in
            guard try await self.device(at: path).isConnected else { return }
            for try await signal in signals {
                guard case .changed(_, Names.device, let values, _)? = ObjectChange(signal) else { continue }
                if values["Connected"]?.boolean == false { return }
            }
        }
    }

    /// Connects and waits until the objects of the services exist.
    private func connect(_ path: ObjectPath, timeout: Duration) async throws {
        let isReady: Void? = try await withTimeout(timeout) {
            let rule = MatchRule(
                sender: Names.service,
                path: path,
                interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged"
            )
            try await self.connection.withSignals(rule) { signals in
                do {
                    try await self.callDevice(path, "Connect", timeout: timeout)
                } catch {
                    throw BlueZError(any: error, during: .connectDevice)
                }
                try await self.waitForServices(of: path, signals)
            }
        }
        guard isReady != nil else {
            throw BlueZError(
                .timedOut,
                "the GATT services of the device were not discovered within \(timeout): bring it nearer"
            )
        }
    }

    /// Waits for ServicesResolved, which becomes true some time after the reply to Connect.
    private func waitForServices(of path: ObjectPath, _ signals: SignalSequence) async throws {
        if try await device(at: path).hasServices { return }
        for try await signal in signals {
            guard case .changed(_, Names.device, let values, _)? = ObjectChange(signal) else { continue }
            if values["ServicesResolved"]?.boolean == true { return }
            if values["Connected"]?.boolean == false {
                throw BlueZError(
                    .notConnected,
                    "the link was lost before the services of the device were discovered: try again"
                )
            }
        }
    }
}
