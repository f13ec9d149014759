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

/// The members of `org.handoffd.PairingAgent1`.
package enum PairingAgentInterface {
    private static let name = HandoffName.pairingAgentInterface

    package static let requestChoice = MethodDeclaration(
        name,
        "RequestChoice",
        "Asks which of several pairing devices the user means.",
        [Argument("candidates", .dictionaries, "Number (t), DeviceName (s) and DeviceID (s) of each"), .options],
        returns: [Argument("choice", .uint64, "the number of the one that the user has chosen")]
    )
    package static let requestConfirmation = MethodDeclaration(
        name,
        "RequestConfirmation",
        "Asks whether the other device shows these digits.",
        [
            Argument("digits", .string, "six decimal digits"),
            Argument("device_name", .string, "the name of the other device"),
            Argument("device_id", .string, "its id"), .options,
        ],
        returns: [Argument("same", .boolean, "whether the user has compared them and they are the same")]
    )
    package static let cancel = MethodDeclaration(
        name,
        "Cancel",
        "The last question needs no answer any more; another may follow.",
        [Argument("message", .string, "the reason, in a sentence for the user"), .options]
    )
    package static let paired = MethodDeclaration(
        name,
        "Paired",
        "Both devices trust each other now. The last call.",
        [
            Argument("device", .objectPath, "the object of the device"), Argument("device_name", .string, "its name"),
            .options,
        ]
    )
    package static let failed = MethodDeclaration(
        name,
        "Failed",
        "The devices were not paired; or, with Unconfirmed, the result is not known yet. The last call.",
        [
            Argument("error", .string, "the name of an error, org.handoffd.Error.…"),
            Argument("message", .string, "the reason and what to do, in a sentence for the user"), .options,
        ]
    )

    package static let declaration = InterfaceDeclaration(
        name,
        "a program that asks the user while two devices pair; implemented by the program",
        methods: [requestChoice, requestConfirmation, cancel, paired, failed]
    )
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
            PairingAgentInterface.declaration,
            methods: [
                PairingAgentInterface.requestChoice.served { invocation in
                    let candidates = invocation.arguments[0].dictionaries.compactMap(PairingCandidate.init)
                    return .deferred { [.uint64(try await agent.choose(candidates))] }
                },
                PairingAgentInterface.requestConfirmation.served { invocation in
                    let digits = try invocation.argument(0, as: String.self)
                    let name = try invocation.argument(1, as: String.self)
                    let device = try invocation.argument(2, as: String.self)
                    return .deferred { [.boolean(try await agent.confirm(digits, shownBy: name, device))] }
                },
                PairingAgentInterface.cancel.served { invocation in
                    agent.cancel(try invocation.argument(0))
                    return .done
                },
                PairingAgentInterface.paired.served { invocation in
                    agent.paired(try invocation.argument(0), named: try invocation.argument(1))
                    return .done
                },
                PairingAgentInterface.failed.served { invocation in
                    agent.failed(try invocation.argument(0), try invocation.argument(1))
                    return .done
                },
            ]
        )
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
        call(PairingAgentInterface.requestChoice, [.dictionaries(candidates.map(\.properties)), .noOptions])
    }

    /// Asks whether the other device shows the same digits.
    package func requestConfirmation(_ digits: String, shownBy name: String, _ device: String) -> MethodCall {
        call(PairingAgentInterface.requestConfirmation, [.string(digits), .string(name), .string(device), .noOptions])
    }

    /// Reports that the last question no longer needs an answer.
    package func cancel(_ message: String) -> MethodCall {
        call(PairingAgentInterface.cancel, [.string(message), .noOptions])
    }

    /// Reports that the devices are paired.
    package func paired(_ device: ObjectPath, named name: String) -> MethodCall {
        call(PairingAgentInterface.paired, [.objectPath(device), .string(name), .noOptions])
    }

    /// Reports that nothing was paired, or that the outcome is unknown.
    package func failed(_ error: HandoffErrorName, _ message: String) -> MethodCall {
        call(PairingAgentInterface.failed, [.string(error.errorName.description), .string(message), .noOptions])
    }

    private func call(_ method: MethodDeclaration, _ arguments: [Value]) -> MethodCall {
        method.call(of: client, at: path, arguments, startsService: false)
    }
}
