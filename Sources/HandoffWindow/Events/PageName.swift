/// A page of the window; the raw value is its name in the file of the layout.
package enum PageName: String, CaseIterable, Hashable, Sendable {
    case nearby, devices, pair, rules, doctor
}
