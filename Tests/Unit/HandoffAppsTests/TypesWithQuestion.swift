/// The types of the shared MIME-info database 2.1 to 2.5 that are not inert.
let typesWithQuestion = Set(
    """
    application/appinstaller application/appx application/appxbundle application/buildstream+yaml
    application/cbor application/ecmascript application/font-tdpfr application/gnunet-directory application/gzip
    application/hta application/java-archive application/javascript application/mac-binhex40
    application/mathematica application/mbox application/metalink+xml application/metalink4+xml
    application/microsoftpatch application/microsoftupdate application/msix application/msixbundle
    application/octet-stream application/ovf application/pgp-encrypted application/pgp-keys
    application/pgp-signature application/pkcs10 application/pkcs12 application/pkcs7-mime
    application/pkcs7-signature application/pkcs8 application/pkcs8-encrypted application/pkix-cert
    application/pkix-crl application/pkix-pkipath application/postscript application/prs.plucker application/ram
    application/sdp application/sieve application/smil+xml application/sql application/texinfo
    application/typescript application/vnd.adobe.flash.movie application/vnd.android.package-archive
    application/vnd.appimage application/vnd.apple.mpegurl application/vnd.apple.pkpass
    application/vnd.apple.pkpasses application/vnd.bzip3 application/vnd.coffeescript application/vnd.cups-ppd
    application/vnd.dart application/vnd.debian.binary-package application/vnd.efi.img application/vnd.efi.iso
    application/vnd.emusic-emusic_package application/vnd.flatpak application/vnd.flatpak.ref
    application/vnd.flatpak.repo application/vnd.gerber application/vnd.google-earth.kml+xml
    application/vnd.google-earth.kmz application/vnd.hp-hpgl application/vnd.hp-pcl application/vnd.iccprofile
    application/vnd.ipld.car application/vnd.microsoft.portable-executable
    application/vnd.microsoft.windows.thumbnail-cache application/vnd.mozilla.xul+xml application/vnd.ms-access
    application/vnd.ms-cab-compressed application/vnd.ms-excel.addin.macroEnabled.12
    application/vnd.ms-excel.sheet.binary.macroEnabled.12 application/vnd.ms-excel.sheet.macroEnabled.12
    application/vnd.ms-excel.template.macroEnabled.12 application/vnd.ms-htmlhelp application/vnd.ms-officetheme
    application/vnd.ms-powerpoint.addin.macroEnabled.12
    application/vnd.ms-powerpoint.presentation.macroEnabled.12
    application/vnd.ms-powerpoint.slide.macroEnabled.12 application/vnd.ms-powerpoint.slideshow.macroEnabled.12
    application/vnd.ms-powerpoint.template.macroEnabled.12 application/vnd.ms-tnef
    application/vnd.ms-visio.drawing.macroEnabled.main+xml
    application/vnd.ms-visio.stencil.macroEnabled.main+xml
    application/vnd.ms-visio.template.macroEnabled.main+xml application/vnd.ms-word.document.macroEnabled.12
    application/vnd.ms-word.template.macroEnabled.12 application/vnd.ms-wpl application/vnd.nintendo.nitro.rom
    application/vnd.nintendo.snes.rom application/vnd.oasis.opendocument.base
    application/vnd.oasis.opendocument.database application/vnd.openofficeorg.extension application/vnd.palm
    application/vnd.quark.quarkxpress application/vnd.rar application/vnd.snap application/vnd.sqlite3
    application/vnd.squashfs application/vnd.stardivision.mail application/vnd.symbian.install
    application/vnd.tcpdump.pcap application/wasm application/winhlp application/x-7z-compressed
    application/x-ace application/x-alpine-package-keeper-package application/x-alz application/x-amf
    application/x-amiga-disk-format application/x-apple-diskimage application/x-apple-systemprofiler+xml
    application/x-arc application/x-archive application/x-arj application/x-asar application/x-asp
    application/x-atari-2600-rom application/x-atari-7800-rom application/x-atari-lynx-rom application/x-awk
    application/x-bat application/x-bcpio application/x-bittorrent application/x-blender application/x-bps-patch
    application/x-brotli application/x-brotli-compressed-tar application/x-bsdiff application/x-bzdvi
    application/x-bzip application/x-bzip-compressed-tar application/x-bzip1 application/x-bzip1-compressed-tar
    application/x-bzip2 application/x-bzip2-compressed-tar application/x-bzip3-compressed-tar
    application/x-bzpostscript application/x-ccmx application/x-cd-image application/x-cdrdao-toc
    application/x-chip8-octo-source application/x-chip8-program application/x-cisco-vpn-settings
    application/x-class-file application/x-coff application/x-commodore-crt application/x-commodore-d64-disk
    application/x-commodore-d71-disk application/x-commodore-d80-disk application/x-commodore-d81-disk
    application/x-commodore-d82-disk application/x-commodore-d90-disk application/x-commodore-g64-disk
    application/x-commodore-g71-disk application/x-commodore-tape application/x-commodore-x64-disk
    application/x-compress application/x-compressed-iso application/x-compressed-tar application/x-core
    application/x-cpio application/x-cpio-compressed application/x-csh application/x-cue application/x-dar
    application/x-designer application/x-desktop application/x-dia-shape application/x-discjuggler-cd-image
    application/x-doom-wad application/x-dosexec application/x-dreamcast-rom application/x-dvi
    application/x-e-theme application/x-eris-link+cbor application/x-excellon application/x-executable
    application/x-fds-disk application/x-fishscript application/x-fluid application/x-font-afm
    application/x-font-bdf application/x-font-dos application/x-font-framemaker application/x-font-libgrx
    application/x-font-linux-psf application/x-font-pcf application/x-font-speedo application/x-font-sunos-news
    application/x-font-tex application/x-font-tex-tfm application/x-font-ttx application/x-font-type1
    application/x-font-vfont application/x-freedesktop-appstream-component
    application/x-freedesktop-appstream-releases application/x-gameboy-color-rom application/x-gameboy-rom
    application/x-gamecube-rom application/x-gamegear-rom application/x-gba-rom application/x-gd-rom-cue
    application/x-gdbm application/x-gdscript application/x-gedcom application/x-genesis-32x-rom
    application/x-genesis-rom application/x-genesis-rom-smd application/x-gerber-job application/x-glade
    application/x-gnucash application/x-gnuplot application/x-godot-project application/x-godot-resource
    application/x-godot-scene application/x-godot-shader application/x-gtk-builder application/x-gtktalog
    application/x-gz-font-linux-psf application/x-gzdvi application/x-gzpostscript
    application/x-hfe-floppy-image application/x-ica application/x-iff application/x-ipod-firmware
    application/x-ips-patch application/x-iso9660-appimage application/x-it87 application/x-java
    application/x-java-archive application/x-java-jce-keystore application/x-java-jnlp-file
    application/x-java-keystore application/x-java-pack200 application/x-jbuilder-project
    application/x-kexi-connectiondata application/x-kexiproject-shortcut application/x-kexiproject-sqlite2
    application/x-kexiproject-sqlite3 application/x-kpovmodeler application/x-kspread-crypt
    application/x-ksysv-package application/x-kugar application/x-kword-crypt application/x-lha
    application/x-lhz application/x-lmdb application/x-lowresnx-program application/x-lrzip
    application/x-lrzip-compressed-tar application/x-lx-executable application/x-lyx application/x-lz4
    application/x-lz4-compressed-tar application/x-lzip application/x-lzip-compressed-tar application/x-lzma
    application/x-lzma-compressed-tar application/x-lzop application/x-m4 application/x-macbinary
    application/x-magicpoint application/x-mame-chd application/x-markaby application/x-mimearchive
    application/x-modrinth-modpack+zip application/x-mozilla-bookmarks application/x-ms-dos-executable
    application/x-ms-ne-executable application/x-ms-pdb application/x-ms-shortcut application/x-ms-wim
    application/x-msdownload application/x-msi application/x-mswinurl application/x-msx-rom
    application/x-n64-rom application/x-nautilus-link application/x-neo-geo-pocket-color-rom
    application/x-neo-geo-pocket-rom application/x-nes-rom application/x-netshow-channel
    application/x-nintendo-3ds-executable application/x-nintendo-3ds-rom application/x-nintendo-ds-rom
    application/x-nintendo-switch-xci application/x-nrg application/x-ns-proxy-autoconfig application/x-nuscript
    application/x-nzb application/x-object application/x-ole-storage application/x-openvpn-profile
    application/x-openzim application/x-pak application/x-par2 application/x-partial-download
    application/x-pc-engine-rom application/x-pcapng application/x-pef-executable application/x-perf-data
    application/x-perl application/x-php application/x-pico8-rom application/x-pico8-source
    application/x-pkcs7-certificates application/x-powershell application/x-profile
    application/x-pyspread-bz-spreadsheet application/x-pyspread-spreadsheet application/x-python-bytecode
    application/x-qbrew application/x-qed-disk application/x-qemu-disk application/x-qpress
    application/x-qtiplot application/x-quicktime-media-link application/x-qw application/x-raw-disk-image
    application/x-raw-disk-image-xz-compressed application/x-raw-floppy-disk-image application/x-riff
    application/x-rpm application/x-ruby application/x-rzip application/x-rzip-compressed-tar
    application/x-saturn-rom application/x-sc application/x-sega-cd-rom application/x-sega-pico-rom
    application/x-sg1000-rom application/x-shar application/x-shared-library-la application/x-sharedlib
    application/x-shellscript application/x-slp application/x-sms-rom application/x-source-rpm
    application/x-spectrum-d80 application/x-spectrum-dsk application/x-spectrum-hdf application/x-spectrum-mdr
    application/x-spectrum-mgt application/x-spectrum-pzx application/x-spectrum-rzx application/x-spectrum-slt
    application/x-spectrum-sna application/x-spectrum-szx application/x-spectrum-tap application/x-spectrum-tzx
    application/x-spectrum-z80 application/x-sqlite2 application/x-starmail application/x-stuffit
    application/x-stuffitx application/x-sv4cpio application/x-sv4crc application/x-sylk application/x-tar
    application/x-tarz application/x-tex-gf application/x-tex-pk application/x-tgif application/x-theme
    application/x-thomson-cartridge-memo7 application/x-thomson-cassette application/x-thomson-sap-image
    application/x-tic80-item application/x-tiled-tmx application/x-tiled-tsx application/x-toutdoux
    application/x-trash application/x-troff-man-compressed application/x-tzo application/x-ustar
    application/x-vdi-disk application/x-vhd-disk application/x-vhdx-disk application/x-virtual-boy-rom
    application/x-vmdk-disk application/x-wais-source application/x-wii-rom application/x-wii-wad
    application/x-windows-themepack application/x-wonderswan-color-rom application/x-wonderswan-rom
    application/x-x509-ca-cert application/x-xar application/x-xpinstall application/x-xz
    application/x-xz-compressed-tar application/x-zerosize application/x-zoo application/x-zpaq
    application/x-zstd-compressed-tar application/x.sf3-archive application/x.sf3-log application/x.sf3-table
    application/x.sf3-text application/xspf+xml application/zip application/zlib application/zstd audio/x-amzxml
    audio/x-iriver-pla audio/x-mpegurl audio/x-ms-asx audio/x-scpls chemical/x-pdb font/collection font/otf
    font/ttf font/woff font/woff2 image/vnd.rn-realpix image/x-bzeps image/x-eps image/x-gzeps image/x-lwo
    image/x-lws image/x-skencil image/x-xfig inode/blockdevice inode/chardevice inode/directory inode/fifo
    inode/mount-point inode/socket inode/symlink message/delivery-status message/disposition-notification
    message/external-body message/news message/partial message/rfc822 message/x-gnu-rmail model/step model/vrml
    model/x.sf3 model/x.sf3-physics multipart/alternative multipart/appledouble multipart/digest
    multipart/encrypted multipart/mixed multipart/related multipart/report multipart/signed
    multipart/x-mixed-replace text/htmlh text/javascript text/jscript.encode text/julia text/scriptlet
    text/slint text/spreadsheet text/tcl text/vbscript text/vbscript.encode text/vnd.familysearch.gedcom
    text/vnd.plantuml text/vnd.senx.warpscript text/vnd.sun.j2me.app-descriptor text/vnd.wap.wmlscript
    text/x-awk text/x-basic text/x-blueprint text/x-cmake text/x-common-lisp text/x-component text/x-csh
    text/x-cython text/x-dart text/x-dbus-service text/x-dcl text/x-devicetree-binary text/x-dockerfile
    text/x-elixir text/x-emacs-lisp text/x-gawk text/x-google-video-pointer text/x-gradle text/x-gradle-kts
    text/x-groovy text/x-iptables text/x-kaitai-struct text/x-lilypond text/x-lua text/x-makefile text/x-matlab
    text/x-maven+xml text/x-meson text/x-modelica text/x-mrml text/x-ms-regedit text/x-ms-visualstudio.project
    text/x-ms-visualstudio.workspace text/x-mup text/x-nawk text/x-nimscript text/x-nix text/x-nsis
    text/x-python text/x-python2 text/x-python3 text/x-qml text/x-rpm-spec text/x-sagemath text/x-scheme
    text/x-scons text/x-sed text/x-shellscript text/x-systemd-unit text/x-uri text/x-uuencode text/x-vb
    video/isivideo video/vnd.mpegurl video/wavelet video/x-javafx x-content/audio-cdda x-content/audio-dvd
    x-content/audio-player x-content/blank-bd x-content/blank-cd x-content/blank-dvd x-content/blank-hddvd
    x-content/ebook-reader x-content/image-dcf x-content/image-picturecd x-content/ostree-repository
    x-content/software x-content/unix-software x-content/video-bluray x-content/video-dvd x-content/video-hddvd
    x-content/video-svcd x-content/video-vcd x-content/win32-software x-epoc/x-sisx-app
    """
    .split(whereSeparator: \.isWhitespace).map(String.init)
)
