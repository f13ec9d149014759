import DBus
import HandoffModel

/// A container that can hold others of its kind.
enum Nesting: String, CaseIterable, Sendable {
    case array, dictionary, set

    /// A date at the depth `levels`, inside containers of this kind.
    ///
    /// A date, because it takes more containers of D-Bus than any other kind that contains no other values.
    func date(at levels: Int) throws -> UserInfoValue {
        (1..<levels).reduce(.date(try Timestamp(seconds: 0))) { value, _ in
            switch self {
            case .array: .array([value])
            case .dictionary: .dictionary(["k": value])
            case .set: .set([value])
            }
        }
    }

    /// The same depth as a program might write it on the bus.
    func value(at levels: Int) -> Value {
        (1..<levels).reduce(.byte(1)) { value, _ in
            switch self {
            case .array: .array(of: .variant, [.variant(value)])
            case .dictionary: ["k": value].value
            case .set: .structure([.string("set"), .array(of: .variant, [.variant(value)])])
            }
        }
    }
}

/// The error that `body` throws, if it is a ``DBusError``.
func dbusError(_ body: () throws -> Void) -> DBusError? {
    do {
        try body()
        return nil
    } catch {
        return error as? DBusError
    }
}

/// The same for an asynchronous `body`.
func dbusError(_ body: () async throws -> Void) async -> DBusError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? DBusError
    }
}
