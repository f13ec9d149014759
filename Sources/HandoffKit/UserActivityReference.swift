import Synchronization

/// The tie between a responder and its activity, which the responder has as a constant.
///
/// When the responder is deallocated, so is this object, and the responder leaves the activity.
public final class UserActivityReference: Sendable {
    private struct Membership {
        let activity: UserActivity
        let id: UserActivity.MemberID
    }

    private let membership = Mutex<Membership?>(nil)

    /// Creates a reference to no activity.
    public init() {}

    deinit {
        replaceMembership(with: nil)
    }

    /// The activity; nil for none, and once it has ended.
    var activity: UserActivity? {
        membership.withLock { $0?.activity }.flatMap { $0.isOver ? nil : $0 }
    }

    /// Makes `responder` a part of another activity, or of none.
    func set(_ activity: UserActivity?, for responder: any UserActivityResponder) {
        if let activity, activity === self.activity { return }
        // The new activity first: the old one may end.
        replaceMembership(
            with: activity.flatMap { activity in
                activity.join(responder).map { Membership(activity: activity, id: $0) }
            }
        )
    }

    private func replaceMembership(with new: Membership?) {
        // Outside of the lock, since this may release the last reference to the activity.
        let old = membership.withLock { membership in
            defer { membership = new }
            return membership
        }
        if let old { old.activity.leave(old.id) }
    }
}
