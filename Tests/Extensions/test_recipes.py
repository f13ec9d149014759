"""The recipes of Docs/Adopting.md, as they are printed there."""

import os
import re
import subprocess

from devices import ROOT, IntegrationTest, process

TYPE = "org.example.editor.editing"


def recipe(title, language):
    """The first block of a language below a heading of the page."""
    page = (ROOT / "Docs/Adopting.md").read_text(encoding="utf-8")
    section = page.split(f"\n### {title}\n", 1)[1].split("\n## ", 1)[0]
    return re.search(rf"^```{language}\n(.*?)^```$", section, re.S | re.M)[1]


class RecipeTests(IntegrationTest):
    """Each recipe offers a document."""

    def offers(self, command, path):
        """Runs a program, which offers the document until its input ends."""
        with process(command, stdin=subprocess.PIPE, env=self.laptop.environment()) as running:
            properties = self.events.wait_document(path)
            self.assertEqual((properties["Type"], properties["Title"]), (TYPE, "Draft"))
            running.stdin.close()
            running.wait()
        self.events.wait_activity("removed")

    def test_a_gapplication_offers_a_document(self):
        path = self.laptop.write("a b.txt")
        program = self.laptop.program("gapplication-recipe", f"""#!/usr/bin/python3
import sys
{recipe("GApplication", "python")}
publish(Gio.bus_get_sync(Gio.BusType.SESSION), "Draft", sys.argv[1])
sys.stdin.read()
""")
        self.addCleanup(program.unlink)
        self.offers([program, "file://" + os.fsdecode(path).replace(" ", "%20")], path)

    def test_a_qt_program_offers_a_document(self):
        path = self.laptop.write("a b.txt")
        directory = self.laptop.home / "qt"
        directory.mkdir()
        for name in ("Manager1", "Activity1"):
            xml, base = ROOT / f"Docs/dbus/org.handoffd.{name}.xml", name.lower()
            subprocess.run(["qdbusxml2cpp", "-p", base, xml], cwd=directory, check=True)
            moc = f"{self.output('pkg-config', '--variable=host_bins', 'Qt5Core')}/moc"
            subprocess.run([moc, f"{base}.h", "-o", f"{base}.moc.cpp"], cwd=directory, check=True)
        (directory / "main.cpp").write_text(f"""
#include <QtCore>
#include <QtDBus>
#include <cstdio>
#include "manager1.cpp"
#include "manager1.moc.cpp"
#include "activity1.cpp"
#include "activity1.moc.cpp"
int main(int count, char **words) {{
    QCoreApplication application(count, words);
    qDBusRegisterMetaType<QList<QVariantMap>>();
    QString title = "Draft", file = words[1];
{recipe("Qt", "cpp")}
    return getchar() == EOF ? 0 : 1;
}}
""", encoding="utf-8")
        flags = self.output("pkg-config", "--cflags", "--libs", "Qt5DBus").split()
        subprocess.run(["g++", "-fPIC", "-o", "recipe", "main.cpp", *flags], cwd=directory, check=True)
        self.offers([directory / "recipe", os.fsdecode(path)], path)

    @staticmethod
    def output(*words):
        """What a program prints."""
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
