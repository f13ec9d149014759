import HandoffModel
import TestLimits
import Testing

@Suite("Activities", .endsWithin(minutes: 10))
struct ActivityTests {
    let type = ActivityType.browsingWeb

    @Test("A title has at most 1024 bytes")
    func title() throws {
        #expect(try Activity(type: type, title: String(repeating: "a", count: 1024)).title?.count == 1024)
        let error = #expect(throws: ModelError.self) {
            try Activity(type: type, title: String(repeating: "ä", count: 513))
        }
        #expect(error?.code == .titleTooLong)
    }

    @Test("A value has at most sixteen levels of nesting", arguments: ["array", "dictionary", "set"])
    func depth(container: String) throws {
        func nested(_ levels: Int) -> UserInfoValue {
            (1..<levels).reduce(.integer(1)) { value, _ in
                switch container {
                case "array": .array([value])
                case "set": .set([value])
                default: .dictionary(["a": value])
                }
            }
        }
        _ = try Activity(type: type, userInfo: ["key": nested(16)])
        let error = #expect(throws: ModelError.self) { try Activity(type: type, userInfo: ["key": nested(17)]) }
        #expect(error?.code == .userInfoTooDeep)
        #expect(error?.message.contains("key") == true)
    }

    @Test(
        "Values that not every implementation can represent are refused",
        arguments: [
            ["a": .string("x\u{0}")], ["a": .url("\u{0}")], ["a\u{0}": .null], ["a": .unsigned(5)],
            ["a": .array([.set([.dictionary(["b\u{0}": .null])])])],
        ] as [[String: UserInfoValue]]
    )
    func invalidValues(userInfo: [String: UserInfoValue]) {
        let error = #expect(throws: ModelError.self) { try Activity(type: type, userInfo: userInfo) }
        #expect(error?.code == .invalidValue)
    }

    @Test("Titles and required keys cannot contain U+0000")
    func noNUL() {
        let errors = [
            #expect(throws: ModelError.self) { try Activity(type: type, title: "a\u{0}") },
            #expect(throws: ModelError.self) { try Activity(type: type, requiredUserInfoKeys: ["a\u{0}"]) },
        ]
        #expect(errors.map { $0?.code } == [.invalidValue, .invalidValue])
    }

    @Test("The error of a refused value has its path")
    func path() {
        let error = #expect(throws: ModelError.self) {
            try Activity(type: type, userInfo: ["a": .dictionary(["b": .array([.string("\u{0}")])])])
        }
        #expect(error?.message.hasPrefix("a.b contains U+0000") == true)
    }

    @Test(
        "A team identifier that is not a short name is refused",
        arguments: ["", "a b", "ä", "a/b", String(repeating: "a", count: 65)]
    )
    func teamID(teamID: String) throws {
        let error = #expect(throws: ModelError.self) { try Activity(type: type, teamID: teamID) }
        #expect(error?.code == .invalidIdentifier)
        #expect(try Activity(type: type, teamID: "A1B2.c-d_e").teamID == "A1B2.c-d_e")
    }

    @Test(
        "Identifiers that are empty, contain U+0000 or are too long are refused",
        arguments: ["", "a\u{0}", String(repeating: "a", count: 1025)]
    )
    func identifiers(identifier: String) {
        let errors = [
            #expect(throws: ModelError.self) { try Activity(type: type, targetContentIdentifier: identifier) },
            #expect(throws: ModelError.self) { try Activity(type: type, persistentIdentifier: identifier) },
        ]
        #expect(errors.map { $0?.code } == [.invalidIdentifier, .invalidIdentifier])
    }

    @Test("Only the required keys are transferred, if there are any")
    func requiredKeys() throws {
        let all = try Activity(type: type, userInfo: ["a": .null, "b": .null])
        #expect(all.reducedToRequiredKeys == all)
        let some = try all.with { $0.requiredUserInfoKeys = ["b", "c"] }
        #expect(some.reducedToRequiredKeys.userInfo == ["b": .null])
        #expect(some.reducedToRequiredKeys.requiredUserInfoKeys == ["b", "c"])
    }

    @Test("A change that violates a limit leaves the activity unchanged")
    func change() throws {
        let activity = try Activity(type: type, title: "old")
        #expect(throws: ModelError.self) { try activity.with { $0.title = String(repeating: "a", count: 2000) } }
        #expect(try activity.with { $0.title = "new" }.title == "new")
        #expect(activity.title == "old")
    }
}
