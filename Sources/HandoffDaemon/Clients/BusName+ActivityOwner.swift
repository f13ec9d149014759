package import DBus
import HandoffCore

/// In this daemon, programs on the bus own the activities.
extension BusName: ActivityOwner {
    package typealias Delegate = ObjectPath
}

/// The activities of the programs on the bus.
typealias ActivityRegister = HandoffCore.ActivityRegister<BusName>

/// The origin of the activities of the programs on the bus.
typealias Origin = HandoffCore.Origin<BusName>
