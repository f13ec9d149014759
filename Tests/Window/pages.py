"""What the stories about the window share: its pages, an app that continues activities, what is imitated."""

# In the order of their keys, Ctrl+1 to Ctrl+5.
PAGES = ("nearby", "devices", "pair", "rules", "doctor")

# How many activities and devices the imitated daemon has, and the names of the first ones.
COUNT = 100
ODD_NAMES = ("🦊" * 64, "<b>&amp;</b>", "שלום עולם", "a\u202eb\u0007\nc", "", "%s%n{device}", "_underlined")

APP = """[Desktop Entry]
Type=Application
Name=Notes
Exec=/bin/true
Icon={icon}
X-Handoff-Exec={program}
X-Handoff-ActivityTypes=org.example.notes;
"""


def go(one, page):
    """Goes to a page by the keyboard, in English; what is on no page that is shown cannot be pressed."""
    one.type(f"ctrl+{PAGES.index(page) + 1}")
    one.see(role="page tab", name=page.capitalize(), states=["selected"])


def install_app(one, program, icon="accessories-text-editor"):
    """Installs an app on a computer that runs the program with each activity."""
    file = one.directory / "share/applications/org.example.Notes.desktop"
    file.write_text(APP.format(program=program, icon=icon), encoding="utf-8")
