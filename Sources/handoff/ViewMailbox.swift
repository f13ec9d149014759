import HandoffWindow
import Synchronization

/// Passes views from the session to the main loop: the newest counts, and what has to be done is never lost.
final class ViewMailbox: Sendable {
    private struct Content {
        var view: WindowView?
        var actions: [WindowSession.DesktopAction] = []
        var isAwaited = false
    }

    private let content = Mutex(Content())

    /// Passes a view; `show` is called soon on the main loop, and takes it.
    func put(
        _ view: WindowView,
        _ actions: [WindowSession.DesktopAction],
        show: @escaping @MainActor @Sendable () -> Void
    ) {
        let isFirst = content.withLock { content in
            defer { content.isAwaited = true }
            var view = view
            // The page that an earlier view has wanted.
            view.shows = view.shows ?? content.view?.shows
            content.view = view
            content.actions += actions
            return !content.isAwaited
        }
        if isFirst { onMainLoop(show) }
    }

    /// Takes what was passed since the last time.
    func take() -> (view: WindowView?, actions: [WindowSession.DesktopAction]) {
        content.withLock { content in
            defer { content = Content() }
            return (content.view, content.actions)
        }
    }
}
