import HandoffModel
import TestLimits
import Testing

@Suite("Activity types", .endsWithin(minutes: 10))
struct ActivityTypeTests {
    @Test(
        "A reverse-DNS name is an activity type",
        arguments: [
            "com.example", "org.example.editor.editing", "com.example.my-app.my_activity", "1.2",
            "NSUserActivityTypeBrowsingWeb", "a." + String(repeating: "b", count: 253),
        ]
    )
    func isType(name: String) throws {
        #expect(try ActivityType(name).rawValue == name)
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", "editing", ".", "com.", ".com", "com..app", "com.exa mple", "com.exämple", "com.example\n", "com.e/f",
            "nsuseractivitytypebrowsingweb", "NSUserActivityTypeBrowsingWe", "com.\u{0}",
            "a." + String(repeating: "b", count: 254),
        ]
    )
    func isRefused(name: String) {
        let error = #expect(throws: ModelError.self) { try ActivityType(name) }
        #expect(error?.code == .invalidActivityType)
    }
}
