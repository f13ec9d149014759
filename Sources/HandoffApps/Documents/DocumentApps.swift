/// The apps for documents, by MIME type, in the order in which desktops prefer them.
///
/// (Association between MIME types and applications 1.0.1, as GLib reads it.)
package struct DocumentApps: Hashable, Sendable {
    /// The content of one directory; levels are in order of precedence.
    package struct Level: Hashable, Sendable {
        /// Its lists of default apps: those of the running desktops, `mimeapps.list`, and next to desktop files `defaults.list`.
        package var lists: [MediaTypeAppList]
        /// Its `mimeapps.list`, the only one that adds and removes; empty if there is none.
        package var list: MediaTypeAppList
        /// Its `mimeinfo.cache`; empty if there is none.
        package var cache: MediaTypeAppList
        /// The apps whose desktop files are in the directory.
        package var apps: [DocumentApp]
        /// The ids of all its desktop files, which hide what later directories say of these.
        package var ids: Set<String>
        /// The ids of those that are marked as deleted.
        package var hidden: Set<String>

        package init(
            list: MediaTypeAppList = MediaTypeAppList(),
            lists: [MediaTypeAppList]? = nil,
            cache: MediaTypeAppList = MediaTypeAppList(),
            apps: [DocumentApp] = [],
            ids: Set<String> = [],
            hidden: Set<String> = []
        ) {
            (self.list, self.lists, self.cache) = (list, lists ?? [list], cache)
            (self.apps, self.hidden) = (apps, hidden)
            self.ids = ids.union(apps.map(\.id)).union(hidden)
        }
    }

    private let levels: [Level]
    private let apps: [String: DocumentApp]

    package init(_ levels: [Level]) {
        self.levels = levels
        var apps: [String: DocumentApp] = [:]
        var hidden: Set<String> = []
        for level in levels {
            // A file that cannot be used leaves its place to that of a later directory; one that deletes the app does not.
            hidden.formUnion(level.hidden.filter { apps[$0] == nil })
            for app in level.apps where apps[app.id] == nil && !hidden.contains(app.id) { apps[app.id] = app }
        }
        self.apps = apps
    }

    /// The app for the first of these types that has one.
    ///
    /// - Parameter hierarchy: a type, followed by its supertypes.
    package func app(for hierarchy: [String]) -> DocumentApp? { apps(for: hierarchy).first }

    /// All apps for these types, the best one first: those for a type come before those for a supertype.
    ///
    /// Last are the apps which only their own files name, since their directory has no `mimeinfo.cache` or an older one.
    ///
    /// - Parameter hierarchy: a type, followed by its supertypes.
    package func apps(for hierarchy: [String]) -> [DocumentApp] {
        var (ids, excluded): ([String], Set<String>) = ([], [])
        for type in hierarchy {
            ids += chosen(for: type)
            ids += associated(with: type, &excluded) { $0.cache.cached[type] ?? [] }
        }
        excluded = []
        for type in hierarchy {
            ids += associated(with: type, &excluded) { level in
                level.apps.filter { $0.mediaTypes.contains(type) }.map(\.id)
            }
        }
        var known: Set<String> = []
        return ids.filter { known.insert($0).inserted }.compactMap { apps[$0] }
    }

    /// The apps that the user or the system has chosen, by the order of lists.
    private func chosen(for type: String) -> [String] {
        levels.flatMap { level in level.lists.flatMap { $0.defaults[type] ?? [] } }
    }

    /// The apps that lists add or files declare, and no earlier list removes.
    ///
    /// - Parameters:
    ///   - type: a type.
    ///   - excluded: the apps that lists have removed, also for types before.
    ///   - declared: the apps that declare it in a level.
    private func associated(
        with type: String,
        _ excluded: inout Set<String>,
        declared: (Level) -> [String]
    ) -> [String] {
        var (ids, masked): ([String], Set<String>) = ([], [])
        for level in levels {
            let added = level.list.added[type] ?? []
            let removed = Set(level.list.removed[type] ?? []).subtracting(added)
            let all = added + declared(level).filter { !removed.contains($0) }
            ids += all.filter { !masked.contains($0) && !excluded.contains($0) }
            excluded.formUnion(removed.filter { !masked.contains($0) && !ids.contains($0) })
            masked.formUnion(level.ids)
        }
        return ids
    }
}
