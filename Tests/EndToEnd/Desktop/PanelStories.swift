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
                            try await BusMessages.follow([Self.showing], on: desktop.bus) { messages in
                                try await Connection.withConnection(to: desktop.bus.address) { connection in
                                    try await Self.continueFirst(panel, connection, messages, app)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The rule for the calls with which the panel tells that it shows the menu.
    private static let showing = "type='method_call',interface='com.canonical.dbusmenu',member='AboutToShowGroup'"

    private static func continueFirst(
        _ panel: XfcePanel,
        _ connection: Connection,
        _ messages: BusMessages,
        _ app: OptionsApp
    ) async throws {
        let item = TrayedItem(connection: connection, name: HandoffName.desktop)
        try await item.until(label: "Editor from laptop")
        try await item.until(status: "Active")
        // The panel tells nobody when it has drawn the icon. Titles are fetched when it shows the menu.
        let clicking: @Sendable () async throws -> Void = { while true { try await panel.clickItem() } }
        try await withBackgroundTasks([clicking]) {
            try await item.until(label: "“Draft” – Editor from laptop")
        }
        let count = messages.count
        try await panel.clickItem()
        let choosing: @Sendable () async throws -> Void = { [count] in
            var next = count
            while true {
                // The first time may be that of a click before.
                try await messages.first("the panel to show the menu", from: next) { _ in true }
                next = messages.count
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
