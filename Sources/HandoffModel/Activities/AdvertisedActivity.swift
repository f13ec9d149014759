/// What the advertisements of a device say of its current activity: the hash of its type, and the number of the
/// advertisement with which the device began to show it.
package struct AdvertisedActivity: Hashable, Sendable {
    /// The hash of the activity's type and team.
    package let typeHash: ActivityTypeHash
    /// The number that stands for the activity in requests to its origin.
    package let number: AdvertisementNumber

    package init(typeHash: ActivityTypeHash, number: AdvertisementNumber) {
        self.typeHash = typeHash
        self.number = number
    }
}
