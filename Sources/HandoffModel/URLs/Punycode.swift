/// The encoding of Unicode labels of host names in ASCII (RFC 3492), with the parameters of section 5.
enum Punycode {
    private static let base = 36
    private static let minimumThreshold = 1
    private static let maximumThreshold = 26
    private static let skew = 38
    private static let damp = 700
    private static let initialBias = 72
    private static let initialCode = 128

    /// Returns a label in ASCII, without the prefix `xn--`; nil when it is longer than any label (section 6.4).
    static func encode(_ label: some StringProtocol) -> String? {
        let codes = label.unicodeScalars.map { Int($0.value) }
        guard codes.count <= 63 else { return nil }
        var output = label.unicodeScalars.filter(\.isASCII).map(Character.init)
        let basicCount = output.count
        if basicCount > 0 { output.append("-") }
        var (code, delta, bias, handled) = (initialCode, 0, initialBias, basicCount)
        while handled < codes.count, let next = codes.filter({ $0 >= code }).min() {
            delta += (next - code) * (handled + 1)
            code = next
            for other in codes {
                if other < code { delta += 1 }
                guard other == code else { continue }
                output += digits(of: delta, bias)
                bias = adapted(delta, handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return String(output)
    }

    /// Returns a variable-length integer (section 3.3).
    private static func digits(of number: Int, _ bias: Int) -> [Character] {
        var (rest, output, position) = (number, [Character](), base)
        while true {
            let threshold = min(max(position - bias, minimumThreshold), maximumThreshold)
            guard rest >= threshold else { return output + [digit(rest)] }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
    }

    private static func digit(_ number: Int) -> Character {
        Character(Unicode.Scalar(UInt8(number < 26 ? number + 97 : number - 26 + 48)))
    }

    /// Returns the next bias (section 6.1).
    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var position = 0
        while delta > (base - minimumThreshold) * maximumThreshold / 2 {
            delta /= base - minimumThreshold
            position += base
        }
        return position + (base - minimumThreshold + 1) * delta / (delta + skew)
    }
}
