import DBus
import HandoffBus
import HandoffModel
import TestLimits
import Testing

@Suite("The table in Docs/dbus/README.md has the D-Bus form of userInfo", .endsWithin(minutes: 10))
struct UserInfoTableTests {
    @Test("Each kind of value has its row with its signature")
    func signatures() throws {
        let rows = try Page("dbus/README.md").rows
        let samples: [UserInfoValue] = [
            .null, .boolean(true), .integer(1), .unsigned(.max), .real(1), .string("a"), .data([1]),
            .date(try Timestamp(seconds: 0)), .url("x:"), .array([.null]), .dictionary(["k": .null]), .set([.null]),
        ]
        #expect(Set(samples.map(\.kind)) == Set(UserInfoValue.Kind.allCases))
        for sample in samples {
            let value = try #require(UserInfoCoding.value(of: ["k": sample]).stringDictionary?["k"])
            let row = rows.first { $0.first == (sample.kind == .unsigned ? "integer" : sample.kind.rawValue) }
            let cell = try #require(row?.dropFirst().first, "\(sample.kind)")
            #expect(cell.contains("`\(value.type)`"), "\(sample.kind) is \(value.type), not \(cell)")
        }
    }
}
