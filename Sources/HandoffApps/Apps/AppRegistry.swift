package import HandoffModel

/// The apps of this computer that continue activities, and which of them is for what.
package struct AppRegistry: Hashable, Sendable {
    /// A desktop file that cannot be used.
    package struct Fault: Hashable, Sendable {
        /// The path of the file.
        package let file: String
        /// What is wrong with it and what may stand there.
        package let message: String

        package init(file: String, message: String) {
            self.file = file
            self.message = message
        }
    }

    /// What opens an activity here.
    package enum LaunchTarget: Hashable, Sendable {
        case app(App)
        /// The web page, in the browser.
        case browser
        /// Nothing: no app claims the type, and there is no web page.
        case none
    }

    /// The apps, those of earlier directories first, in each by id.
    package let apps: [App]
    /// The files that want to take part and cannot.
    package let faults: [Fault]
    /// Which app a person wants for a type, where several claim it.
    package var defaults: [ActivityType: String] = [:]

    package init(apps: [App] = [], faults: [Fault] = []) {
        self.apps = apps
        self.faults = faults
    }

    /// The types that some app claims.
    package var types: Set<ActivityType> {
        apps.reduce(into: []) { $0.formUnion($1.types) }
    }

    /// Who claims a type: the person's default first, then in the order of ``apps``.
    package func claimants(of type: ActivityType) -> [App] {
        let claimants = apps.filter { $0.types.contains(type) }
        guard let first = claimants.first(where: { $0.id == defaults[type] }) else { return claimants }
        return [first] + claimants.filter { $0.id != first.id }
    }

    /// What will probably open an activity of which only the advertisement is known.
    ///
    /// - Parameters:
    ///   - type: its type, where its hash is known here.
    ///   - hasWebpage: whether it has a web page.
    package func launchTarget(for type: ActivityType?, hasWebpage: Bool) -> LaunchTarget {
        let claimants = type.map(claimants) ?? []
        if let app = claimants.first(where: { $0.mightAccept(type, hasWebpage: hasWebpage) }) { return .app(app) }
        return hasWebpage ? .browser : .none
    }

    /// The apps that may have an activity, in the order in which they are chosen: claimants of its team.
    package func recipients(of activity: Activity) -> [App] {
        claimants(of: activity.type).filter { app in
            app.matches(team: activity.teamID, type: activity.type) && app.accepts(activity)
        }
    }

    /// What opens an activity: the first of its recipients, else the browser.
    package func launchTarget(for activity: Activity) -> LaunchTarget {
        if let app = recipients(of: activity).first { return .app(app) }
        return activity.webpageURL != nil ? .browser : .none
    }
}

extension App {
    /// Whether it could take an activity of which only the advertisement is known.
    fileprivate func mightAccept(_ type: ActivityType?, hasWebpage: Bool) -> Bool {
        guard case .command(let line) = launchMethod else { return true }
        // A program that only shows web pages is of no use without one.
        let isDocument = documentTypes.values.contains { $0 == type }
        return hasWebpage && line.takesURL || isDocument && line.takesDocument
    }

    /// Whether it can be given an activity.
    fileprivate func accepts(_ activity: Activity) -> Bool {
        guard case .command(let line) = launchMethod else { return true }
        return activity.webpageURL != nil && line.takesURL || activity.documentURL != nil && line.takesDocument
    }
}
