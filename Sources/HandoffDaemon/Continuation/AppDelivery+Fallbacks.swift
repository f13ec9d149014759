import AsyncSupport
import DBus
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
import Logging

/// What opens an activity that no app continues.
extension AppDelivery {
    /// Opens an activity that no app continues: its document in the app that declined the activity; or its web page in
    /// the browser; or its document in the default app of the document's MIME type.
    ///
    /// - Parameters:
    ///   - activity: the activity.
    ///   - declining: the app that declined it; nil for none.
    func openElsewhere(_ activity: Activity, after declining: App?) async -> Result<Continuation.Outcome, HandoffError>
    {
        var document: OpenableDocument?
        var failure: HandoffError?
        if let text = activity.documentURL {
            do throws(HandoffError) {
                document = try apps.document(at: text)
            } catch {
                failure = error
            }
        }
        if let document, let app = declining?.documentApp, app.opens(document) {
            switch await open(document, with: app, asInert: !app.mediaTypes.isDisjoint(with: document.inertTypes)) {
            case .success(let outcome): return .success(outcome)
            case .failure(let error):
                // As below: the question names this app.
                if error.code == .documentIsProgram, activity.webpageURL == nil { return .failure(error) }
                if Task.isCancelled { return .failure(error) }
            }
        }
        if let page = activity.webpageURL {
            guard let obstacle = await openWebpage(page, of: activity, after: declining) else {
                return .success(.browser)
            }
            if obstacle.code == .userCancelled || Task.isCancelled { return .failure(obstacle) }
            failure = failure ?? obstacle
        }
        guard let document else {
            return .failure(failure ?? HandoffError(.notContinuable, "The activity has no web page and no document."))
        }
        // Who was told that a page opens has not agreed to opening a file.
        guard offersDocument else {
            return .failure(
                failure
                    ?? HandoffError(
                        .noLongerCurrent,
                        "\(deviceName) offered a web page, and now has a document: look again."
                    )
            )
        }
        do throws(HandoffError) {
            return await open(document, withFirstOf: try apps.choices(for: document))
        } catch {
            return .failure(failure ?? error)
        }
    }

    /// Opens a document in the first of these apps that can be started.
    ///
    /// - Returns: what has become of it; if no app could be started, the error of the first one.
    private func open(
        _ document: OpenableDocument,
        withFirstOf choices: [AppTracker.Choice]
    ) async -> Result<Continuation.Outcome, HandoffError> {
        var failure: HandoffError?
        for (app, isInert) in choices {
            switch await open(document, with: app, asInert: isInert) {
            case .success(let outcome): return .success(outcome)
            // The question names this app: no other one opens the document in its place.
            case .failure(let error) where error.code == .documentIsProgram: return .failure(error)
            // Nor does one when the daemon ends, which ends the call: the app may have opened the document.
            case .failure(let error) where Task.isCancelled: return .failure(error)
            case .failure(let error):
                apps.logger.notice(
                    "an app cannot open a document, so the next one is asked: \(error.message)",
                    metadata: ["event": "app.passedOver", "app": "\(app.id)"]
                )
                failure = failure ?? error
            }
        }
        return .failure(failure ?? HandoffError(.notContinuable, "No app here opens \(document.name)."))
    }

    /// Opens a document in an app on the bus, in the way that desktops do; starts the app if necessary.
    ///
    /// - Parameters:
    ///   - document: the document.
    ///   - id: the app.
    ///   - command: the command line for an app that does not run and that the bus cannot start; nil for none.
    /// - Throws: ``HandoffError`` with `appFailed`.
    func open(
        _ document: OpenableDocument,
        with id: String,
        startedBy command: AppCommand?
    ) async throws(HandoffError) {
        do throws(DBusError) {
            let call = try ApplicationCalls(id: id).open(
                [document.url.description],
                activationToken: options.activationToken
            )
            _ = try await connection.call(call, timeout: Self.limit)
        } catch {
            guard error.indicatesAbsentService, let command else {
                throw HandoffError(.appFailed, "\(id) could not open the document: \(error.message)")
            }
            try await open(document, by: command, of: id)
        }
    }

    /// Opens a document with the command line of an app.
    ///
    /// - Throws: ``HandoffError`` with `appFailed`.
    private func open(
        _ document: OpenableDocument,
        by command: AppCommand,
        of app: String
    ) async throws(HandoffError) {
        if case .failed(let reason) = await launch(try launch(of: command, opening: document), of: app) {
            throw HandoffError(.appFailed, "The document could not be opened: \(reason)")
        }
    }

    /// Returns how a command is run with a document.
    ///
    /// - Throws: ``HandoffError`` with `notContinuable`, or `appFailed` if it cannot be run now.
    func launch(of command: AppCommand, opening document: OpenableDocument) throws(HandoffError) -> AppLaunch {
        do throws(AppLaunchError) {
            return try apps.documentApps.launcher.launch(command, opening: document.url)
        } catch {
            switch error {
            case .noTerminal: throw HandoffError(.appFailed, Self.message(error, of: command))
            case .unnamable:
                throw HandoffError(
                    .notContinuable,
                    "The name of the document \(document.url) is not UTF-8, and \(command.line.program) takes only names: "
                        + "rename it."
                )
            }
        }
    }

    /// Says why a command cannot be run.
    static func message(_ error: AppLaunchError, of command: AppCommand) -> String {
        switch error {
        case .noTerminal:
            "\(command.line.program) runs in a terminal, and none is installed that is known here: install "
                + "xdg-terminal-exec or xterm."
        case .unnamable: "\(command.line.program) takes only names."
        }
    }

    /// Opens a document in an app.
    private func open(
        _ document: OpenableDocument,
        with app: DocumentApp,
        asInert isInert: Bool
    ) async -> Result<Continuation.Outcome, HandoffError> {
        do throws(HandoffError) {
            try await permit(document, in: app.id, asInert: isInert)
            switch app.launchMethod {
            case .bus: try await open(document, with: app.id, startedBy: app.command)
            case .command(let command): try await open(document, by: command, of: app.id)
            }
            return .success(.document(app.id))
        } catch {
            return .failure(error)
        }
    }

    // MARK: Web pages

    /// Opens the web page of an activity: in the default browser, as an activity if it continues those; else through the
    /// desktop's portal, or else through xdg-open.
    ///
    /// - Returns: why it failed; nil on success.
    private func openWebpage(_ url: WebpageURL, of activity: Activity, after declining: App?) async -> HandoffError? {
        if let (browser, browsing) = browsing(url, activity, after: declining),
            case .accepted = await handOver(browsing, to: browser)
        {
            return nil
        }
        do {
            try Task.checkCancellation()
            return try await openInPortal(url)
        } catch {
            let first = (error as? DBusError)?.message ?? "\(error)"
            // The portal may have opened the page.
            guard !Task.isCancelled else {
                return HandoffError(.appFailed, "The web page could not be opened: \(first)")
            }
            switch await launch(AppLaunch(arguments: ["xdg-open", url.escaped])) {
            // Whatever its status is, it has opened nothing (xdg-open(1)).
            case .failed(let reason), .declined(let reason?):
                return HandoffError(.appFailed, "The web page could not be opened: \(first) xdg-open: \(reason)")
            default: return nil
            }
        }
    }

    /// Returns the browser that gets the page as an activity, and that activity; nil when there is none, or when it has had
    /// its turn.
    private func browsing(_ url: WebpageURL, _ activity: Activity, after declining: App?) -> (App, Activity)? {
        let registry = apps.engine.desktop.apps
        guard activity.type == .browsingWeb else {
            guard let browser = registry.browser, browser.id != declining?.id,
                let browsing = try? Activity(type: .browsingWeb, title: activity.title, webpageURL: url)
            else { return nil }
            return (browser, browsing)
        }
        // Where the page's site approves an app, that app was asked first, and not a browser.
        let siteApps = registry.siteApps(for: activity)
        guard !siteApps.isEmpty else { return nil }
        return registry.typeRecipients(of: activity).first { !siteApps.contains($0) }.map { ($0, activity) }
    }

    /// Opens a web page through the desktop's portal, and waits for its response.
    ///
    /// - Returns: why the page was not opened, as the portal has answered; nil on success.
    /// - Throws: `DBusError` when there is no portal, or it cannot open pages.
    private func openInPortal(_ url: WebpageURL) async throws -> HandoffError? {
        let portal: BusName = "org.freedesktop.portal.Desktop"
        // xdg-desktop-portal, "Request": the result of a request is a signal of its object.
        let responses = MatchRule(sender: portal, interface: "org.freedesktop.portal.Request", member: "Response")
        let response = try await connection.withSignals(responses) { signals in
            // xdg-desktop-portal, "OpenURI": parent window, address, options.
            let reply = try await connection.call(
                MethodCall(
                    destination: portal,
                    path: "/org/freedesktop/portal/desktop",
                    interface: "org.freedesktop.portal.OpenURI",
                    member: "OpenURI",
                    arguments: [.string(""), .string(url.escaped), portalOptions.value]
                )
            )
            let request = try reply.decode(at: 0, as: ObjectPath.self)
            return try await withTimeout(Self.limit) {
                for try await signal in signals where signal.path == request {
                    return try signal.arguments.decode(at: 0, as: UInt32.self)
                }
                throw CancellationError()
            }
        }
        switch response {
        case 0: return nil
        case 1: return HandoffError(.userCancelled, "The user did not open the web page.")
        case nil: return HandoffError(.appFailed, "The desktop did not answer whether it has opened the web page.")
        default: throw DBusError(.unexpectedReply, "The desktop could not open the web page.")
        }
    }

    private var portalOptions: [String: Value] {
        options.activationToken.map { ["activation_token": .string($0)] } ?? [:]
    }
}

extension DocumentApp {
    /// Whether it declares that it opens documents of that type.
    fileprivate func opens(_ document: OpenableDocument) -> Bool {
        !mediaTypes.isDisjoint(with: document.types)
    }
}
