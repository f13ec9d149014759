/// What is advertised while there is nothing to offer: cover, and that somebody has come.
extension Origin {
    /// Switches cover advertisements on or off; during a pause there are none.
    package mutating func cover(_ isCovering: Bool) {
        wantsCover = isCovering
        pacer.isCovering = wantsCover && !rules.isPaused
        if rules.isPaused { pacer.cancelGreeting() }
    }

    /// Lets other devices hear once that this one is there again, if it has nothing to offer and may advertise.
    package mutating func greet(at uptime: Duration) {
        if !rules.isPaused, !isWithheld { pacer.greet(at: uptime) }
    }

    /// Whether this device may advertise, and has nothing to offer.
    package var isSilent: Bool { !rules.isPaused && !isWithheld && offered == nil }

    /// Whether a withdrawal for all devices is due, or is advertised and not over.
    package func isGreetingAll(at uptime: Duration) -> Bool { pacer.isGreetingAll(at: uptime) }

    /// Sets whether a member is greeted for itself alone.
    package mutating func greetMember(_ isGreeting: Bool) { pacer.isGreetingMember = isGreeting }
}
