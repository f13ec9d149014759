import HandoffCore

/// A client as these tests name it; its delegates are text.
struct Client: ActivityOwner, ExpressibleByStringLiteral {
    typealias Delegate = String

    let name: String

    init(stringLiteral name: String) {
        self.name = name
    }
}

typealias ActivityRegister = HandoffCore.ActivityRegister<Client>
typealias Origin = HandoffCore.Origin<Client>
