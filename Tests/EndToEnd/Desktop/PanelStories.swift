import AsyncSupport
import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("handoff-desktop in a real panel", .endsWithin(minutes: 15, instances: 4))
struct PanelStories {
    @Test("In the panel of Xfce, a click opens the menu, which shows titles, and its first item continues the activity")
    func xfce() async throws {
        let app = OptionsApp()
        let prepare: @Sendable (World) throws -> Void = {
            try $0.writeApp("org.example.Editor", "DBusActivatable=true")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            try await app.whileOnBus(on: desktop.bus) {
                try await XfcePanel.whileOnBus(on: desktop.bus, in: world) { panel in
                    try await desktop.bus.withDesktop(in: world) { _ in
                        try await laptop.publishing("org.example.edit", ["--title", "Draft"]) { _ in
                            try await Connection.withConnection(to: desktop.bus.address) { connection in
                                try await Self.continueFirst(panel, connection, app)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func continueFirst(_ panel: XfcePanel, _ connection: Connection, _ app: OptionsApp) async throws {
        let item = TrayedItem(connection: connection, name: HandoffName.desktop)
        try await item.until(label: "Editor from laptop")
        try await item.until(status: "Active")
        // The panel tells nobody when it has drawn the icon, nor when its menu gets the keys: it calls the item before. So the
        // gestures are made again, one program for each after the other, until they have had their effect. Titles are fetched
        // when it shows the menu.
        let clicking: @Sendable () async throws -> Void = { while true { try await panel.clickItem() } }
        try await withBackgroundTasks([clicking]) {
            try await item.until(label: "“Draft” – Editor from laptop")
        }
        let choosing: @Sendable () async throws -> Void = {
            while true {
                try await panel.clickItem()
                // The first item that could be chosen would end what has begun.
                guard try await !item.menu().contains(where: { $0.label.hasPrefix("Cancel") }) else { continue }
                try await panel.chooseFirst()
            }
        }
        let call = try await race {
            await app.next()
        } _: {
            try await choosing()
            return ""
        }
        // With a token only where the window manager gives one.
        #expect(call.hasPrefix("WillContinue"))
        #expect(await app.next().hasPrefix("Continue"))
    }
}
