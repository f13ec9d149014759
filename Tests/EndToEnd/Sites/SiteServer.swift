import Foundation
import HandoffTestSupport
import Testing

/// A web server of the test on loopback that answers for every host below `site.example`, each in its own way, with
/// certificates of an authority of the test's own.
///
/// The daemon's curl is a script that has the real one connect to this server whatever the host, so that no name is
/// looked up and nothing leaves this computer.
struct SiteServer: Sendable {
    let world: World
    /// A line `GET HOST PATH [ENTITY TAG] USER-AGENT` for each request, and `REFUSED` for each failed handshake.
    let requests: Transcript

    /// The variables with which a daemon trusts the authority, whatever those of whoever runs the tests are, and keeps
    /// what sites answer in a directory of its own.
    static func variables(of world: World) -> [String: String] {
        let authority = world.directory.appending(path: "sites/ca.pem").path()
        return world.appVariables.merging([
            "SSL_CERT_FILE": authority, "CURL_CA_BUNDLE": authority, "no_proxy": "*",
            "XDG_CACHE_HOME": world.directory.appending(path: "cache").path(),
        ]) { $1 }
    }

    /// Makes the certificates, and the script that takes the place of curl.
    static func prepare(_ world: World) async throws {
        let directory = world.directory.appending(path: "sites").path()
        try await world.writeProgram(
            """
            #!/bin/sh
            # -q counts only as the first argument.
            shift
            echo "$@" >> "\(directory)/curl-log"
            cd "\(directory)"
            exec /usr/bin/curl -q --connect-to "::$(cat address):$(cat port || echo 1)" "$@"
            """,
            to: "bin/curl"
        )
        try world.write("127.0.0.1", to: "sites/address")
        try world.write(certificates, to: "sites/certificates.sh")
        try world.write(program, to: "sites/server.py")
        let made = try await HandoffTestSupport.run("/bin/bash", [directory + "/certificates.sh", directory])
        try #require(made.status == 0, "\(made.stderr)")
    }

    /// Runs `body` while the server runs.
    static func run(in world: World, _ body: @escaping @Sendable (SiteServer) async throws -> Void) async throws {
        let directory = world.directory.appending(path: "sites")
        try await withTranscript(of: "/usr/bin/python3", [directory.path() + "/server.py", directory.path()]) {
            _,
            lines in
            let port = try await lines.first { $0.split(separator: " ").last.map(String.init) }
            try world.write(port, to: "sites/port")
            try await body(SiteServer(world: world, requests: lines))
        }
        try? FileManager.default.removeItem(at: directory.appending(path: "port"))
    }

    /// Answers from now on for that host as for another one.
    func answer(for host: String, as other: String) throws {
        try world.write(other, to: "sites/as-\(host)")
    }

    /// The requests for a host so far.
    func requests(for host: String) -> [String] { requests.lines.filter { $0.hasPrefix("GET \(host).site.example ") } }

    /// Makes one authority, and certificates for web servers and for signatures; what is signed with them is in files.
    private static let certificates = #"""
        set -euo pipefail
        cd "$1"
        ec=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
        openssl req -x509 "${ec[@]}" -keyout ca.key -out ca.pem -days 100 -subj "/CN=authority of the test"
        # NAME DAYS HOST ALGORITHM…
        certificate() {
            openssl req "${@:4}" -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$3"
            printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth\n' "$3" > extensions
            openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -days "$2" -extfile extensions -out "$1.pem"
        }
        certificate good 100 '*.site.example' "${ec[@]}"
        certificate rsa 100 '*.site.example' -newkey rsa:2048
        certificate other 100 'other.example' "${ec[@]}"
        certificate expired -1 '*.site.example' "${ec[@]}"
        openssl req -x509 "${ec[@]}" -keyout untrusted.key -out untrusted.pem -days 100 -subj "/CN=nobody" \
            -addext 'subjectAltName=DNS:*.site.example'
        echo '{"activitycontinuation":{"apps":["T1.org.example.Editor","T1.org.example.Second"]}}' > plain
        for name in good rsa other expired untrusted; do
            # As Apple has documented it for the signed form.
            openssl smime -sign -noattr -nodetach -outform DER -signer $name.pem -inkey $name.key \
                -in plain -out signed-$name
        done
        """#

    private static let program = #"""
        import pathlib, re, socket, ssl, sys, threading

        HERE = pathlib.Path(sys.argv[1])
        FILE = (HERE / "plain").read_bytes()
        lock = threading.Lock()

        def say(*words):
            with lock:
                print(*words, flush=True)

        def signed(name):
            return (HERE / f"signed-{name}").read_bytes()

        def context(certificate):
            made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            made.load_cert_chain(HERE / f"{certificate}.pem", HERE / f"{certificate}.key")
            return made

        CERTIFICATES = {"tls-other": "other", "tls-expired": "expired", "tls-untrusted": "untrusted"}
        CONTEXTS = {name: context(name) for name in ["good", "other", "expired", "untrusted"]}

        def by_name(connection, name, _):
            connection.context = CONTEXTS[CERTIFICATES.get((name or "").split(".")[0], "good")]

        CONTEXTS["good"].sni_callback = by_name

        def answer(status, content=b"", kind="application/json", *fields):
            head = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", "Connection: close", *fields]
            if kind:
                head.append(f"Content-Type: {kind}")
            return "\r\n".join(head).encode() + b"\r\n\r\n" + content

        CMS = "application/pkcs7-mime"
        BOMBS = {
            "deep": b'{"a":' + 60000 * b"[",
            "duplicate": FILE.strip()[:-1] + b',"activitycontinuation":{}}',
            "huge-number": b'{"n":' + 100000 * b"9" + b"," + FILE[1:],
        }

        def respond(connection, mode, path, tag):
            if mode == "root" and ".well-known" in path:
                return answer("404 Not Found")
            if mode in ("plain", "root"):
                if tag == '"one"':
                    return answer("304 Not Modified", b"", None, 'ETag: "one"')
                return answer("200 OK", FILE, "application/json", 'ETag: "one"')
            if mode == "octets":
                return answer("200 OK", signed("rsa"), "application/octet-stream")
            if mode == "tampered":
                return answer("200 OK", signed("good").replace(b"Editor", b"Edit0r"), CMS)
            if mode == "unsigned":
                return answer("200 OK", FILE, CMS)
            if mode.startswith("signed-"):
                return answer("200 OK", signed(mode[7:]), CMS)
            if mode == "page":
                return answer("200 OK", FILE, "text/html")
            if mode in ("redirect", "loop"):
                place = "https://plain.site.example" if mode == "redirect" else ""
                return answer("302 Found", b"", None, f"Location: {place}{path}")
            if mode == "large":
                return answer("200 OK", FILE + (129 * 1024 - len(FILE)) * b" ")
            if mode in BOMBS:
                return answer("200 OK", BOMBS[mode])
            if mode == "unlisted":
                return answer("200 OK", b'{"activitycontinuation":{"apps":["T1.org.example.Other"]}}')
            if mode == "broken":
                return answer("500 Internal Server Error", FILE)
            if mode == "noise":
                return b"220 mail.site.example ESMTP\r\n\r\n" + FILE
            if mode == "silent":
                return b""
            if mode == "endless":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
                while True:
                    connection.sendall(65536 * b" ")
            if mode == "slow":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
                while True:
                    connection.sendall(b" ")
                    # Not until something happens: this is how slowly it sends.
                    threading.Event().wait(0.2)
            if mode == "none-large":
                return answer("404 Not Found", 1024 * 1024 * b"x", "text/html")
            return answer("404 Not Found")

        def serve(raw):
            try:
                with CONTEXTS["good"].wrap_socket(raw, server_side=True) as connection:
                    head = b""
                    while b"\r\n\r\n" not in head:
                        piece = connection.recv(65536)
                        if not piece:
                            return
                        head += piece
                    lines = head.decode().split("\r\n")
                    fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
                    fields = {name.lower(): value for name, value in fields.items()}
                    method, path = lines[0].split(" ")[:2]
                    host, tag = fields["host"], fields.pop("if-none-match", "")
                    known = {"host", "user-agent", "accept"}
                    others = sorted(set(fields) - known)
                    say(method, host, path, *[tag] * bool(tag), fields.get("user-agent", "-"), *others)
                    mode = host.split(".")[0]
                    changed = HERE / f"as-{mode}"
                    if changed.exists():
                        mode = changed.read_text()
                    connection.sendall(respond(connection, mode, path, tag))
            except ssl.SSLError:
                say("REFUSED")
            except OSError:
                pass

        address = (HERE / "address").read_text().strip("[]")
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        server = socket.create_server((address, 0), family=family)
        say("listening", server.getsockname()[1])
        while True:
            connection, _ = server.accept()
            threading.Thread(target=serve, args=[connection], daemon=True).start()
        """#
}

extension World {
    /// Writes a desktop file of the team `T1` that claims hosts below `site.example`.
    func writeSiteApp(_ id: String, _ hosts: [String], _ lines: String = "DBusActivatable=true") throws {
        let domains = hosts.map { "activitycontinuation:\($0).site.example;" }.joined()
        let head = "[Desktop Entry]\nType=Application\nName=\(id)\nX-Handoff-TeamID=T1\n"
        try write(
            head + "X-Handoff-AssociatedDomains=\(domains)\n" + lines + "\n",
            to: "share/applications/\(id).desktop"
        )
    }

    /// The command lines with which curl was run.
    var curlLog: [String] {
        let log = try? String(contentsOf: directory.appending(path: "sites/curl-log"), encoding: .utf8)
        return (log ?? "").split(separator: "\n").map(String.init)
    }
}

extension Device {
    /// What `handoffctl apps` tells about each domain, by the label of its host, once `condition` holds for all of it.
    func domains(
        until condition: @escaping @Sendable ([String: JSON]) -> Bool = {
            // None before the daemon has read the apps' files.
            !$0.isEmpty && $0.values.allSatisfy { $0["state"].string != "pending" }
        }
    ) async throws -> [String: JSON] {
        try await connected { client in
            try await client.first { () -> [String: JSON]? in
                let domains = try await json("apps").array.flatMap(\.["domains"].array)
                let labelled = domains.map { ($0["domain"].string.replacing(".site.example", with: ""), $0) }
                let all = Dictionary(labelled) { first, _ in first }
                return condition(all) ? all : nil
            }
        }
    }

    /// Waits until the daemon has read the files of that many apps.
    func knowsApps(_ count: Int) async throws {
        try await connected { client in
            try await client.first { try await json("apps").array.count == count ? () : nil }
        }
    }
}
