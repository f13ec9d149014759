/// Which app opens documents of a MIME type by default.
///
/// (Association between MIME types and applications 1.0.1.)
package struct DocumentApps: Hashable, Sendable {
    /// What one directory says; those that count first come first.
    package struct Level: Hashable, Sendable {
        /// Its `mimeapps.list`, empty where there is none.
        package var list: MediaTypeAppList
        /// The apps whose desktop files are in it.
        package var apps: [DocumentApp]
        /// The ids of all desktop files in it, of which those in later directories are hidden.
        package var ids: Set<String>

        package init(list: MediaTypeAppList = MediaTypeAppList(), apps: [DocumentApp] = [], ids: Set<String> = []) {
            self.list = list
            self.apps = apps
            self.ids = ids.union(apps.map(\.id))
        }
    }

    private let levels: [Level]
    private let apps: [String: DocumentApp]

    package init(_ levels: [Level]) {
        self.levels = levels
        var apps: [String: DocumentApp] = [:]
        var known: Set<String> = []
        for level in levels {
            for app in level.apps where !known.contains(app.id) { apps[app.id] = app }
            known.formUnion(level.ids)
        }
        self.apps = apps
    }

    /// The app for the first of these types for which there is one.
    ///
    /// - Parameter hierarchy: a type, and what it is a special kind of.
    package func app(for hierarchy: [String]) -> DocumentApp? {
        for type in hierarchy {
            if let app = chosen(for: type) ?? associated(with: type) { return app }
        }
        return nil
    }

    /// The app that a person or the system has chosen, the first that is installed.
    private func chosen(for type: String) -> DocumentApp? {
        for level in levels {
            for id in level.list.defaults[type] ?? [] {
                if let app = apps[id] { return app }
            }
        }
        return nil
    }

    /// The first app that opens the type and that no list before it takes out.
    private func associated(with type: String) -> DocumentApp? {
        var excluded: Set<String> = []
        for level in levels {
            let added = level.list.added[type] ?? []
            if let id = added.first(where: { !excluded.contains($0) && apps[$0] != nil }) { return apps[id] }
            excluded.formUnion(level.list.removed[type] ?? [])
            let own = level.apps.first { $0.mediaTypes.contains(type) && !excluded.contains($0.id) }
            if let own { return own }
            excluded.formUnion(level.ids)
        }
        return nil
    }
}
