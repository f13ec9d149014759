package import DBus

/// A device that the user may choose to pair with.
package struct PairingCandidate: Hashable, Sendable {
    /// The number that stands for it in the reply.
    package let number: UInt64
    package let name: String
    /// The id of the device, which tells two devices of one name apart.
    package let device: String

    package init(number: UInt64, name: String, device: String) {
        self.number = number
        self.name = name
        self.device = device
    }
}

/// The object of a program that asks the user during pairing, `org.handoffd.PairingAgent1`.
package protocol PairingAgent: Sendable {
    /// Returns the number of the device that the user chooses.
    func choose(_ candidates: [PairingCandidate]) async throws -> UInt64
    /// Returns whether the user confirms that the other device shows the same digits.
    func confirm(_ digits: String, shownBy name: String, _ device: String) async throws -> Bool
    /// Notifies the agent that the last question no longer needs an answer, and why.
    func cancel(_ message: String)
    /// Notifies the agent that the devices are paired.
    func paired(_ device: ObjectPath, named name: String)
    /// Notifies the agent that nothing was paired, or that the outcome is unknown, with the name of an error and a
    /// sentence.
    func failed(_ error: String, _ message: String)
}

extension Interface {
    /// `org.handoffd.PairingAgent1`, served by a program that asks the user.
    package static func pairingAgent(_ agent: some PairingAgent) -> Interface {
        Interface(
            name: HandoffName.pairingAgentInterface,
            methods: [requestChoice(agent), requestConfirmation(agent), cancel(agent), paired(agent), failed(agent)]
        ).annotatedForCodeGenerators()
    }

    private static func requestChoice(_ agent: some PairingAgent) -> Method {
        Method(
            name: "RequestChoice",
            inputs: [Argument(name: "candidates", type: .dictionaries), .options],
            outputs: [Argument(name: "choice", type: .uint64)]
        ) { invocation in
            let candidates = invocation.arguments[0].dictionaries.compactMap(PairingCandidate.init)
            return .deferred { [.uint64(try await agent.choose(candidates))] }
        }
    }

    private static func requestConfirmation(_ agent: some PairingAgent) -> Method {
        Method(
            name: "RequestConfirmation",
            inputs: [
                Argument(name: "digits", type: .string), Argument(name: "device_name", type: .string),
                Argument(name: "device_id", type: .string), .options,
            ],
            outputs: [Argument(name: "same", type: .boolean)]
        ) { invocation in
            let digits = try invocation.arguments.decode(at: 0, as: String.self)
            let name = try invocation.arguments.decode(at: 1, as: String.self)
            let device = try invocation.arguments.decode(at: 2, as: String.self)
            return .deferred { [.boolean(try await agent.confirm(digits, shownBy: name, device))] }
        }
    }

    private static func cancel(_ agent: some PairingAgent) -> Method {
        Method(name: "Cancel", inputs: [Argument(name: "message", type: .string), .options]) { invocation in
            agent.cancel(try invocation.arguments.decode(at: 0, as: String.self))
            return .reply([])
        }
    }

    private static func paired(_ agent: some PairingAgent) -> Method {
        Method(
            name: "Paired",
            inputs: [
                Argument(name: "device", type: .objectPath), Argument(name: "device_name", type: .string), .options,
            ]
        ) { invocation in
            agent.paired(
                try invocation.arguments.decode(at: 0, as: ObjectPath.self),
                named: try invocation.arguments.decode(at: 1, as: String.self)
            )
            return .reply([])
        }
    }

    private static func failed(_ agent: some PairingAgent) -> Method {
        Method(
            name: "Failed",
            inputs: [Argument(name: "error", type: .string), Argument(name: "message", type: .string), .options]
        ) { invocation in
            agent.failed(
                try invocation.arguments.decode(at: 0, as: String.self),
                try invocation.arguments.decode(at: 1, as: String.self)
            )
            return .reply([])
        }
    }
}

extension PairingCandidate {
    fileprivate init?(_ properties: [String: Value]) {
        guard let number = properties["Number"]?.uint64, let name = properties["DeviceName"]?.string,
            let device = properties["DeviceID"]?.string
        else { return nil }
        self.init(number: number, name: name, device: device)
    }

    fileprivate var properties: [String: Value] {
        ["Number": .uint64(number), "DeviceName": .string(name), "DeviceID": .string(device)]
    }
}

/// The daemon's calls to one agent.
package struct PairingAgentCalls: Hashable, Sendable {
    package let client: BusName
    package let path: ObjectPath

    package init(client: BusName, path: ObjectPath) {
        self.client = client
        self.path = path
    }

    /// Asks which of several devices to pair with.
    package func requestChoice(_ candidates: [PairingCandidate]) -> MethodCall {
        call("RequestChoice", [.dictionaries(candidates.map(\.properties)), .noOptions])
    }

    /// Asks whether the other device shows the same digits.
    package func requestConfirmation(_ digits: String, shownBy name: String, _ device: String) -> MethodCall {
        call("RequestConfirmation", [.string(digits), .string(name), .string(device), .noOptions])
    }

    /// Reports that the last question no longer needs an answer.
    package func cancel(_ message: String) -> MethodCall {
        call("Cancel", [.string(message), .noOptions])
    }

    /// Reports that the devices are paired.
    package func paired(_ device: ObjectPath, named name: String) -> MethodCall {
        call("Paired", [.objectPath(device), .string(name), .noOptions])
    }

    /// Reports that nothing was paired, or that the outcome is unknown.
    package func failed(_ error: HandoffErrorName, _ message: String) -> MethodCall {
        call("Failed", [.string(error.errorName.description), .string(message), .noOptions])
    }

    private func call(_ member: MemberName, _ arguments: [Value]) -> MethodCall {
        MethodCall(
            destination: client,
            path: path,
            interface: HandoffName.pairingAgentInterface,
            member: member,
            arguments: arguments,
            startsService: false
        )
    }
}
