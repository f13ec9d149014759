import FoundationEssentials
import HandoffModel
import HandoffWire

/// The cost of encoding and decoding an activity.
enum PayloadBenchmark {
    static func table(_ effort: Effort) throws -> ResultTable {
        var table = ResultTable("Payload, compared with the same content as JSON and a copy of the same bytes")
        for size in [1024, ActivityLimits.maximumPayloadBytes] { try table.measure(try cases(size), effort) }
        return table
    }

    private static func cases(_ size: Int) throws -> [BenchmarkCase] {
        let sample = try SampleActivity(bytes: size)
        let answer = Answer.activity(try sample.activity())
        let bytes = answer.encode()
        let json = try JSONEncoder().encode(sample)
        let name = "\(size / 1024) KiB"
        return [
            BenchmarkCase("copy \(name)", bytes: bytes.count) { copy(bytes) },
            BenchmarkCase("encode \(name) as JSON", bytes: json.count) { try JSONEncoder().encode(sample).count },
            BenchmarkCase("encode \(name)", against: ["copy \(name)", "encode \(name) as JSON"], bytes: bytes.count) {
                answer.encode().count
            },
            BenchmarkCase("decode \(name) from JSON", bytes: json.count) {
                try JSONDecoder().decode(SampleActivity.self, from: json).userInfo.recent.count
            },
            BenchmarkCase("decode \(name)", against: ["copy \(name)", "decode \(name) from JSON"], bytes: bytes.count) {
                if case .activity(let activity) = try Answer(decoding: bytes) { activity.userInfo.count } else { 0 }
            },
        ]
    }

    private static func copy(_ bytes: [UInt8]) -> Int {
        let copy = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            count = bytes.count
        }
        return Int(copy[copy.count / 2])
    }
}
