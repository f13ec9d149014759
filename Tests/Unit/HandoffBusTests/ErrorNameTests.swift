import DBus
import HandoffBus
import HandoffModel
import TestLimits
import Testing

@Suite("The D-Bus names of errors", .endsWithin(minutes: 10))
struct ErrorNameTests {
    @Test("Each error has a name on the bus, and is found by that name", arguments: HandoffErrorName.allCases)
    func names(_ name: HandoffErrorName) throws {
        let onBus = try ErrorName("org.handoffd.Error." + name.rawValue)
        #expect(name.errorName == onBus)
        #expect(HandoffErrorName(onBus) == name)
        let reply = name.reply("A sentence.")
        #expect(reply == DBusError(.remote, "A sentence.", name: onBus))
    }

    @Test(
        "Names of other errors are not recognized",
        arguments: [
            nil, "org.freedesktop.DBus.Error.Failed", "org.handoffd.Error.Unheard", "org.handoffd.Errors.NotOwner",
        ] as [ErrorName?]
    )
    func others(_ name: ErrorName?) {
        #expect(HandoffErrorName(name) == nil)
    }

    @Test(
        "Each rule of the model has its error name",
        arguments: [
            (.invalidActivityType, .invalidActivityType), (.invalidWebpageURL, .invalidWebpageURL),
            (.titleTooLong, .invalidTitle), (.userInfoTooDeep, .invalidUserInfo), (.invalidValue, .invalidUserInfo),
            (.invalidDate, .invalidUserInfo), (.payloadTooLarge, .payloadTooLarge), (.invalidName, .invalidArgument),
            (.invalidIdentifier, .invalidArgument),
        ] as [(ModelError.Code, HandoffErrorName)]
    )
    func model(_ code: ModelError.Code, _ name: HandoffErrorName) {
        #expect(HandoffErrorName(code) == name)
        let error = dbusError {
            try mappingModelError { () throws(ModelError) in throw ModelError(code, "A sentence.") }
        }
        #expect(error == name.reply("A sentence."))
    }
}
