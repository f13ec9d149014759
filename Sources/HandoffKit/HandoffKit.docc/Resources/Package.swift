// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "editor",
    dependencies: [.package(path: "../handoffd")],
    targets: [
        .executableTarget(name: "editor", dependencies: [.product(name: "HandoffKit", package: "handoffd")])
    ]
)
