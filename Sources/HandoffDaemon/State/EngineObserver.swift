/// Shows the effects of the engine's changes, in order, without blocking and without calling the engine to change it.
protocol EngineObserver: Sendable {
    func show(_ effect: Engine.Effect)
}
