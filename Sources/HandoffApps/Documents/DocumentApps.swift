/// The default apps for documents, by MIME type.
///
/// (Association between MIME types and applications 1.0.1.)
package struct DocumentApps: Hashable, Sendable {
    /// The content of one directory; levels are in order of precedence.
    package struct Level: Hashable, Sendable {
        /// Its `mimeapps.list`; empty if there is none.
        package var list: MediaTypeAppList
        /// The apps whose desktop files are in the directory.
        package var apps: [DocumentApp]
        /// The ids of all its desktop files, which hide files of the same id in later directories.
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

    /// The app for the first of these types that has one.
    ///
    /// - Parameter hierarchy: a type, followed by its supertypes.
    package func app(for hierarchy: [String]) -> DocumentApp? {
        for type in hierarchy {
            if let app = chosen(for: type) ?? associated(with: type) { return app }
        }
        return nil
    }

    /// The first installed app that the user or the system has chosen.
    private func chosen(for type: String) -> DocumentApp? {
        for level in levels {
            for id in level.list.defaults[type] ?? [] {
                if let app = apps[id] { return app }
            }
        }
        return nil
    }

    /// The first app that opens the type and that no earlier list removes.
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
