/// The id of an activity of this device within one run of the daemon.
package typealias ActivityID = SerialID<Activity>
