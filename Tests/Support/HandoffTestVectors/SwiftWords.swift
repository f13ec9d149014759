import Foundation

/// The words of Swift in a sentence for people: names of cases and types, and values as `print` writes them.
///
/// The names of the properties of an activity are those of Apple's API, and are told as they are.
package func swiftWords(in sentence: String) -> [String] {
    let patterns = [
        #/\b[a-z]+[A-Z]\w*/#, #/\b[A-Z]\w*\.[A-Z]\w*/#, #/\b[A-Z]\w+\(/#,
        #/\b(?:Optional|nil|String|Int|Bool|Dictionary|Array)\b/#,
        #/\w*[a-z](?:Error|Exception)\b/#,
    ]
    let found = patterns.flatMap { pattern in sentence.matches(of: pattern).map { String($0.output) } }
    return found.filter { !properties.contains($0) }
}

private let properties: Set<String> = [
    "userInfo", "requiredUserInfoKeys", "webpageURL", "teamID", "targetContentIdentifier", "persistentIdentifier",
    "handoffctl",
]
