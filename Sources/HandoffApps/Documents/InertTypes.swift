/// The MIME types of documents that do nothing when they are opened: what shows them reads them, and executes nothing.
///
/// What is not here may start a program, install one or change the system, and is opened only when the user has agreed. A
/// type counts by itself: that it is a kind of another one in the database says how it is written, and not what it does.
package enum InertTypes {
    /// Whether a document of a type does nothing when it is opened.
    package static func contains(_ type: String) -> Bool { all.contains(type) }

    /// The names are those of the shared MIME-info database, and its aliases, in which older databases differ.
    ///
    /// A script is not inert, although an editor only shows it: the default app of its type may run it. Nor is a build
    /// file, an archive, an image of a disk, a font, a mail, PostScript, which is a program, or a list of what to play.
    /// Web pages are here, since a browser executes them as it does every page of the web.
    private static let all = Set(
        [text, pictures, sound, video, office, books].flatMap { names in
            names.split(whereSeparator: \.isWhitespace).map(String.init)
        }
    )

    /// Text, and data that are written as text or read by what shows them as numbers.
    private static let text = """
        application/atom+xml application/dbase application/dbf application/dicom application/docbook+xml
        application/fits application/geo+json application/gml+xml application/gpx application/gpx+xml
        application/har+json application/ics application/its+xml application/jrd+json application/json
        application/json-patch+json application/json5 application/ld+json application/mathml+xml
        application/owl+xml application/prs.wavefront-obj application/raml+yaml application/rdf+xml
        application/relax-ng-compact-syntax application/rss+xml application/schema+json application/sparql-query
        application/sparql-results+xml application/spdx+json application/toml application/trig
        application/vnd.apache.parquet application/vnd.chess-pgn application/vnd.cyclonedx+json
        application/vnd.cyclonedx+xml application/vnd.dbf application/vnd.geo+json
        application/vnd.ms-3mfdocument application/vnd.oasis.docbook+xml application/x-chess-pgn
        application/x-dbase application/x-dbf application/x-docbook+xml application/x-gettext
        application/x-gettext-translation application/x-go-sgf application/x-gpx application/x-gpx+xml
        application/x-hdf application/x-ipynb+json application/x-linguist application/x-netcdf
        application/x-parquet application/x-reject application/x-rnc application/x-sami application/x-spss-por
        application/x-spss-sav application/x-spss-savefile application/x-srt application/x-subrip
        application/x-tex application/x-trig application/x-troff application/x-troff-man application/x-xbel
        application/x-xliff application/x-yaml application/xhtml+xml application/xliff+xml application/xml
        application/xml-dtd application/xml-external-parsed-entity application/xslt+xml application/yaml
        audio/iMelody audio/x-iMelody image/fits image/x-fits model/3mf model/gltf+json model/gltf-binary
        model/iges model/mtl model/obj model/stl model/x.stl-ascii model/x.stl-binary text/cache-manifest
        text/calendar text/crystal text/css text/csv text/csv-schema text/directory text/enriched text/html
        text/markdown text/mathml text/n3 text/org text/plain text/rdf text/rfc822-headers text/richtext
        text/rss text/rust text/sgml text/spdx text/tab-separated-values text/troff text/turtle text/vcard
        text/vnd.graphviz text/vnd.qt.linguist text/vnd.rn-realtext text/vnd.trolltech.linguist text/vnd.typst
        text/vnd.wap.wml text/vtt text/x-adasrc text/x-asm text/x-authors text/x-bibtex text/x-c text/x-c++hdr
        text/x-c++src text/x-changelog text/x-chdr text/x-cobol text/x-comma-separated-values text/x-copying
        text/x-credits text/x-crystal text/x-csharp text/x-csrc text/x-csv text/x-devicetree-source text/x-diff
        text/x-dsl text/x-dsrc text/x-dtd text/x-eiffel text/x-erlang text/x-fortran text/x-gcode-gx
        text/x-genie text/x-gettext-translation text/x-gettext-translation-template text/x-gherkin text/x-go
        text/x-haskell text/x-iMelody text/x-idl text/x-install text/x-java text/x-kotlin text/x-ldif
        text/x-literate-haskell text/x-log text/x-lrc text/x-markdown text/x-microdvd text/x-moc text/x-mof
        text/x-mpl2 text/x-mpsub text/x-nfo text/x-nim text/x-objc++src text/x-objcsrc text/x-ocaml text/x-ocl
        text/x-ooc text/x-opencl-c++src text/x-opencl-csrc text/x-opencl-src text/x-opml text/x-opml+xml
        text/x-pascal text/x-patch text/x-po text/x-pot text/x-readme text/x-reject text/x-rst text/x-sass
        text/x-scala text/x-scss text/x-setext text/x-ssa text/x-ssh-private-key text/x-ssh-public-key
        text/x-subviewer text/x-svhdr text/x-svsrc text/x-tex text/x-texinfo text/x-todo-txt text/x-troff
        text/x-troff-me text/x-troff-mm text/x-troff-ms text/x-twig text/x-txt2tags text/x-typst text/x-uil
        text/x-vala text/x-vcalendar text/x-vcard text/x-verilog text/x-vhdl text/x-xmi text/x-xslfo text/x-yaml
        text/x.gcode text/xmcd text/xml text/xml-external-parsed-entity text/yaml
        """

    /// Pictures.
    private static let pictures = """
        application/cdr application/coreldraw application/emf application/ico application/photoshop
        application/tga application/vnd.corel-draw application/wmf application/x-cdr application/x-coreldraw
        application/x-egon application/x-emf application/x-graphite application/x-killustrator
        application/x-kontour application/x-krita application/x-msmetafile application/x-photoshop
        application/x-targa application/x-tga application/x-ufraw application/x-wmf application/x-wpg image/apng
        image/astc image/avci image/avif image/avif-sequence image/bmp image/cdr image/cgm image/dpx image/emf
        image/fax-g3 image/fits image/g3fax image/gif image/heic image/heic-sequence image/heif
        image/heif-sequence image/hej2k image/ico image/icon image/ief image/jp2 image/jpeg image/jpeg2000
        image/jpeg2000-image image/jpm image/jpx image/jxl image/jxr image/ktx image/ktx2 image/openraster
        image/photoshop image/pjpeg image/png image/psd image/qoi image/rle image/svg+xml
        image/svg+xml-compressed image/targa image/tga image/tiff image/vnd.adobe.photoshop image/vnd.djvu
        image/vnd.djvu+multipage image/vnd.dwg image/vnd.dxf image/vnd.fpx image/vnd.microsoft.icon
        image/vnd.mozilla.apng image/vnd.ms-dds image/vnd.ms-modi image/vnd.ms-photo image/vnd.radiance
        image/vnd.wap.wbmp image/vnd.zbrush.pcx image/webp image/wmf image/x-3ds image/x-MS-bmp
        image/x-adobe-dng image/x-applix-graphics image/x-aseprite image/x-bmp image/x-canon-cr2
        image/x-canon-cr3 image/x-canon-crw image/x-cdr image/x-cmu-raster image/x-compressed-xcf image/x-dcraw
        image/x-dds image/x-dib image/x-djvu image/x-emf image/x-epson-erf image/x-exr image/x-farbfeld
        image/x-fits image/x-fpx image/x-fuji-raf image/x-gimp-gbr image/x-gimp-gih image/x-gimp-pat
        image/x-hasselblad-3fr image/x-hasselblad-fff image/x-hdr image/x-icb image/x-icns image/x-ico
        image/x-icon image/x-iff image/x-ilbm image/x-jng image/x-jp2-codestream image/x-jpeg2000-image
        image/x-kiss-cel image/x-kodak-dcr image/x-kodak-k25 image/x-kodak-kdc image/x-leaf-mos image/x-macpaint
        image/x-mamiya-mef image/x-minolta-mdc image/x-minolta-mrw image/x-msod image/x-niff image/x-nikon-nef
        image/x-nikon-nrw image/x-olympus-orf image/x-panasonic-raw image/x-panasonic-raw2 image/x-panasonic-rw
        image/x-panasonic-rw2 image/x-pcx image/x-pentax-pef image/x-pfm image/x-phaseone-iiq image/x-phm
        image/x-photo-cd image/x-photoshop image/x-pict image/x-portable-anymap image/x-portable-bitmap
        image/x-portable-graymap image/x-portable-pixmap image/x-psd image/x-pxr image/x-quicktime image/x-rgb
        image/x-samsung-srw image/x-sct image/x-sgi image/x-sigma-x3f image/x-sinar-sti image/x-sony-arw
        image/x-sony-sr2 image/x-sony-srf image/x-sun-raster image/x-targa image/x-tga image/x-tiff-multipage
        image/x-tim image/x-win-bitmap image/x-win-metafile image/x-wmf image/x-xbitmap image/x-xcf
        image/x-xcursor image/x-xpixmap image/x-xpm image/x-xwindowdump image/x.djvu image/x.sf3
        image/x.sf3-vector text/ico zz-application/zz-winassoc-cdr
        """

    /// Sound, without lists of what to play.
    private static let sound = """
        audio/AMR audio/AMR-WB audio/aac audio/ac3 audio/amr-encrypted audio/amr-wb-encrypted audio/annodex
        audio/basic audio/dff audio/dsd audio/dsf audio/flac audio/m4a audio/matroska audio/midi
        audio/mobile-xmf audio/mp2 audio/mp3 audio/mp4 audio/mpeg audio/ogg audio/prs.sid audio/tta audio/usac
        audio/vnd.audible audio/vnd.audible.aax audio/vnd.audible.aaxc audio/vnd.dts audio/vnd.dts.hd
        audio/vnd.m-realaudio audio/vnd.nokia.mobile-xmf audio/vnd.rn-realaudio audio/vnd.wave audio/vorbis
        audio/wav audio/webm audio/wma audio/x-669 audio/x-669-mod audio/x-aac audio/x-adpcm audio/x-aifc
        audio/x-aiff audio/x-aiffc audio/x-annodex audio/x-ape audio/x-dff audio/x-dsd audio/x-dsf audio/x-dsp
        audio/x-dts audio/x-dtshd audio/x-flac audio/x-flac+ogg audio/x-gsm audio/x-it audio/x-m4a audio/x-m4b
        audio/x-m4r audio/x-matroska audio/x-med audio/x-midi audio/x-minipsf audio/x-mo3 audio/x-mod
        audio/x-mp2 audio/x-mp3 audio/x-mpeg audio/x-mpg audio/x-ms-wma audio/x-mtm audio/x-multimate-mod
        audio/x-multitrack audio/x-musepack audio/x-ogg audio/x-oggflac audio/x-opus+ogg audio/x-pn-audibleaudio
        audio/x-pn-realaudio audio/x-psf audio/x-psflib audio/x-riff audio/x-s3m audio/x-speex audio/x-speex+ogg
        audio/x-stm audio/x-tak audio/x-tta audio/x-ult audio/x-voc audio/x-vorbis audio/x-vorbis+ogg
        audio/x-wav audio/x-wavpack audio/x-wavpack-correction audio/x-xi audio/x-xm audio/x-xmf audio/x.sf3
        audio/xmf
        """

    /// Video, without lists of what to play.
    private static let video = """
        application/annodex application/mxf application/ogg application/vnd.ms-asf application/vnd.rn-realmedia
        application/vnd.rn-realmedia-vbr application/vnd.smaf application/vnd.youtube.yt application/x-annodex
        application/x-flash-video application/x-matroska application/x-navi-animation application/x-ogg
        application/x-shorten application/x-smaf audio/3gpp audio/3gpp-encrypted audio/3gpp2 audio/x-rn-3gpp-amr
        audio/x-rn-3gpp-amr-encrypted audio/x-rn-3gpp-amr-wb audio/x-rn-3gpp-amr-wb-encrypted audio/x-shorten
        video/3gp video/3gpp video/3gpp-encrypted video/3gpp2 video/annodex video/avi video/divx video/dv
        video/fli video/flv video/matroska video/matroska-3d video/mj2 video/mp2t video/mp4 video/mp4v-es
        video/mpeg video/mpeg-system video/msvideo video/ogg video/quicktime video/vivo video/vnd.avi
        video/vnd.divx video/vnd.radgamettools.bink video/vnd.radgamettools.smacker video/vnd.rn-realvideo
        video/vnd.vivo video/vnd.youtube.yt video/webm video/x-anim video/x-annodex video/x-avi video/x-flc
        video/x-fli video/x-flic video/x-flv video/x-m4v video/x-matroska video/x-matroska-3d video/x-mjpeg
        video/x-mng video/x-mpeg video/x-mpeg-system video/x-mpeg2 video/x-ms-asf video/x-ms-asf-plugin
        video/x-ms-wm video/x-ms-wmv video/x-msvideo video/x-nsv video/x-ogg video/x-ogm video/x-ogm+ogg
        video/x-real-video video/x-sgi-movie video/x-theora video/x-theora+ogg
        """

    /// Documents of office programs, but those that are made to have macros.
    private static let office = """
        application/andrew-inset application/lotus123 application/msexcel application/mspowerpoint
        application/msword application/msword-template application/oda application/powerpoint application/rtf
        application/vnd.apple.keynote application/vnd.apple.numbers application/vnd.apple.pages
        application/vnd.framemaker application/vnd.haansoft-hwp application/vnd.haansoft-hwt
        application/vnd.lotus-1-2-3 application/vnd.lotus-wordpro application/vnd.ms-excel
        application/vnd.ms-powerpoint application/vnd.ms-publisher application/vnd.ms-visio.drawing.main+xml
        application/vnd.ms-visio.stencil.main+xml application/vnd.ms-visio.template.main+xml
        application/vnd.ms-word application/vnd.ms-works application/vnd.oasis.opendocument.chart
        application/vnd.oasis.opendocument.chart-template application/vnd.oasis.opendocument.formula
        application/vnd.oasis.opendocument.formula-template application/vnd.oasis.opendocument.graphics
        application/vnd.oasis.opendocument.graphics-flat-xml
        application/vnd.oasis.opendocument.graphics-template application/vnd.oasis.opendocument.image
        application/vnd.oasis.opendocument.presentation application/vnd.oasis.opendocument.presentation-flat-xml
        application/vnd.oasis.opendocument.presentation-template application/vnd.oasis.opendocument.spreadsheet
        application/vnd.oasis.opendocument.spreadsheet-flat-xml
        application/vnd.oasis.opendocument.spreadsheet-template application/vnd.oasis.opendocument.text
        application/vnd.oasis.opendocument.text-flat-xml application/vnd.oasis.opendocument.text-master
        application/vnd.oasis.opendocument.text-master-template application/vnd.oasis.opendocument.text-template
        application/vnd.oasis.opendocument.text-web
        application/vnd.openxmlformats-officedocument.presentationml.presentation
        application/vnd.openxmlformats-officedocument.presentationml.slide
        application/vnd.openxmlformats-officedocument.presentationml.slideshow
        application/vnd.openxmlformats-officedocument.presentationml.template
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
        application/vnd.openxmlformats-officedocument.spreadsheetml.template
        application/vnd.openxmlformats-officedocument.wordprocessingml.document
        application/vnd.openxmlformats-officedocument.wordprocessingml.template
        application/vnd.stardivision.calc application/vnd.stardivision.chart application/vnd.stardivision.draw
        application/vnd.stardivision.impress application/vnd.stardivision.impress-packed
        application/vnd.stardivision.math application/vnd.stardivision.writer
        application/vnd.stardivision.writer-global application/vnd.sun.xml.calc
        application/vnd.sun.xml.calc.template application/vnd.sun.xml.draw application/vnd.sun.xml.draw.template
        application/vnd.sun.xml.impress application/vnd.sun.xml.impress.template application/vnd.sun.xml.math
        application/vnd.sun.xml.writer application/vnd.sun.xml.writer.global
        application/vnd.sun.xml.writer.template application/vnd.visio application/vnd.wordperfect
        application/wk1 application/wordperfect application/x-123 application/x-abiword application/x-amipro
        application/x-appleworks-document application/x-applix-spreadsheet application/x-applix-word
        application/x-dia-diagram application/x-frame application/x-gnumeric application/x-hwp application/x-hwt
        application/x-iwork-keynote-sffkey application/x-iwork-numbers-sffnumbers
        application/x-iwork-pages-sffpages application/x-karbon application/x-kchart application/x-kformula
        application/x-kivio application/x-kpresenter application/x-kspread application/x-kword
        application/x-lotus123 application/x-mif application/x-msexcel application/x-mspowerpoint
        application/x-msword application/x-mswrite application/x-oleo application/x-pagemaker
        application/x-planperfect application/x-pocket-word application/x-pw application/x-quattropro
        application/x-siag application/x-starcalc application/x-starchart application/x-stardraw
        application/x-starimpress application/x-starmath application/x-starwriter
        application/x-starwriter-global application/x-t602 application/x-wordperfect text/rtf
        zz-application/zz-winassoc-123 zz-application/zz-winassoc-doc zz-application/zz-winassoc-xls
        """

    /// Documents with pages, and books.
    private static let books = """
        application/acrobat application/epub+zip application/illustrator application/nappdf application/oxps
        application/pdf application/vnd.adobe.illustrator application/vnd.amazon.mobi8-ebook
        application/vnd.comicbook+zip application/vnd.comicbook-rar application/vnd.ms-xpsdocument
        application/wwf application/x-aportisdoc application/x-bzpdf application/x-cb7 application/x-cbr
        application/x-cbt application/x-cbz application/x-fictionbook application/x-fictionbook+xml
        application/x-gzpdf application/x-lzpdf application/x-mobi8-ebook application/x-mobipocket-ebook
        application/x-pdf application/x-sony-bbeb application/x-wwf application/x-xzpdf
        application/x-zip-compressed-fb2 application/xps image/pdf
        """
}
