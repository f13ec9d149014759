/// An error in the text of an air.
package struct AirTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the line, from 1.
    package let line: Int
    package let description: String
}

extension Air: LosslessStringConvertible {
    /// Parses the notation; nil when a line is invalid.
    package init?(_ description: String) {
        guard let air = try? Air(text: description) else { return nil }
        self = air
    }

    /// Parses the notation of the file `air`: one setting per line, `#` starts a comment.
    package init(text: String) throws(AirTextError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let key = words.first else { continue }
            guard set(key, Array(words.dropFirst())) else {
                let problem = "line \(index + 1) of the air is invalid: \(line.prefix(80))"
                throw AirTextError(line: index + 1, description: problem)
            }
        }
    }

    /// The notation, which parses to an equal air.
    package var description: String {
        var lines = [
            "loss \(loss)", "delay \(delay.milliseconds)", "bandwidth \(bandwidth)", "mtu \(maximumMessageLength)",
            "supervision \(supervisionTimeout.milliseconds)", "floor \(floor)",
        ]
        if let seed { lines.append("seed \(seed)") }
        if !off.isEmpty { lines.append("off " + off.sorted().joined(separator: " ")) }
        if !apart.isEmpty {
            lines.append("apart " + apart.map { $0.sorted().joined(separator: ",") }.joined(separator: " "))
        }
        lines += positions.map { "position \($0.key) \($0.value.x) \($0.value.y)" }.sorted()
        lines += signals.map { pair, rssi in
            let names = pair.names.sorted()
            return "rssi \(names[0]) \(names[names.count - 1]) \(rssi)"
        }.sorted()
        return lines.joined(separator: "\n") + "\n"
    }

    private mutating func set(_ key: String, _ values: [String]) -> Bool {
        switch (key, values.count) {
        case ("off", 1...): off.formUnion(values)
        case ("apart", 1...): apart += values.map { Set($0.split(separator: ",").map(String.init)) }
        case ("position", 3):
            guard let x = Double(values[1]), let y = Double(values[2]), x.isFinite, y.isFinite else { return false }
            positions[values[0]] = Position(x: x, y: y)
        case ("rssi", 3):
            guard let rssi = Int8(values[2]) else { return false }
            signals[Pair(values[0], values[1])] = rssi
        case (_, 1): return setNumber(key, values[0])
        default: return false
        }
        return true
    }

    private mutating func setNumber(_ key: String, _ value: String) -> Bool {
        switch key {
        case "loss": return Self.replace(&loss, with: Double(value), in: 0...0.95)
        case "delay": return Self.replace(&delay, with: Int(value), in: 0...1000)
        case "supervision": return Self.replace(&supervisionTimeout, with: Int(value), in: 10...32_000)
        case "bandwidth": return Self.replace(&bandwidth, with: Int(value), in: 1000...1_000_000_000)
        case "mtu": return Self.replace(&maximumMessageLength, with: Int(value), in: 23...65_535)
        case "floor": return Self.replace(&floor, with: Int8(value), in: -127...20)
        case "seed":
            guard let value = UInt64(value) else { return false }
            seed = value
            return true
        default: return false
        }
    }

    private static func replace<Value: Comparable>(
        _ setting: inout Value,
        with value: Value?,
        in range: ClosedRange<Value>
    ) -> Bool {
        guard let value, range.contains(value) else { return false }
        setting = value
        return true
    }

    private static func replace(_ setting: inout Duration, with value: Int?, in range: ClosedRange<Int>) -> Bool {
        guard let value, range.contains(value) else { return false }
        setting = .milliseconds(value)
        return true
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
