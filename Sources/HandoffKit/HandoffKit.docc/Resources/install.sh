git clone REPOSITORY handoffd   # beside the directory of the editor
cd editor
swift build --configuration release
sudo install .build/release/editor /usr/local/bin/
install -D -m 644 -t ~/.local/share/applications org.example.Editor.desktop
install -D -m 644 -t ~/.local/share/dbus-1/services org.example.Editor.service
handoffctl apps --check
