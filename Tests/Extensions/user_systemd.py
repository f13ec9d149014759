#!/usr/bin/python3
"""The part of a user's systemd that starts transient services, for a bus without one.

    user_systemd.py BUS < VARIABLES

Services get the variables of the session, which are a JSON object on standard input, and those of their unit; nothing
of the daemon that asks. Prints a line when it is on the bus, and one for each unit that it starts.
"""

import json
import subprocess
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

MANAGER = "org.freedesktop.systemd1.Manager"
PATH = "/org/freedesktop/systemd1"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Unit(dbus.service.Object):
    """A service that runs."""

    def __init__(self, bus, path, child):
        super().__init__(bus, path)
        self._child = child
        self._status = None
        GLib.child_watch_add(child.pid, self._ended)

    def _ended(self, _, status):
        self._status = status >> 8
        self.PropertiesChanged("org.freedesktop.systemd1.Service", {}, ["ExecMainCode", "ExecMainStatus"])

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, _, name):
        """Whether it has ended (waitid(2): CLD_EXITED is 1), or how."""
        if name == "ExecMainCode":
            return dbus.Int32(0 if self._status is None else 1)
        return dbus.Int32(self._status or 0)

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        """It has ended."""


class Manager(dbus.service.Object):
    """Starts services."""

    def __init__(self, bus, variables):
        super().__init__(bus, PATH, dbus.service.BusName("org.freedesktop.systemd1", bus))
        self._variables = variables
        self._units = {}

    @dbus.service.method(MANAGER, in_signature="ssa(sv)a(sa(sv))", out_signature="o", byte_arrays=True)
    def StartTransientUnit(self, name, _mode, properties, _auxiliary):
        """Starts a service."""
        values = {str(key): value for key, value in properties}
        words = [str(word) for word in values["ExecStartEx"][0][1]]
        own = dict(str(variable).split("=", 1) for variable in values.get("Environment", []))
        file = values["StandardInputFileDescriptor"].take() if "StandardInputFileDescriptor" in values else None
        with open(values.get("StandardInputFile", "/dev/null"), "rb") as named:
            child = subprocess.Popen(
                words, executable=str(values["ExecStartEx"][0][0]), stdin=named if file is None else file,
                stdout=subprocess.DEVNULL, env={**self._variables, **own}, cwd="/", start_new_session=True,
            )
        path = f"{PATH}/unit/u{len(self._units)}"
        self._units[str(name)] = (path, Unit(self.connection, path, child))
        print(name, flush=True)
        GLib.idle_add(self.JobRemoved, 1, f"{PATH}/job/{len(self._units)}", name, "done")
        return dbus.ObjectPath(f"{PATH}/job/{len(self._units)}")

    @dbus.service.method(MANAGER, in_signature="s", out_signature="o")
    def GetUnit(self, name):
        """The object of a service."""
        return dbus.ObjectPath(self._units[str(name)][0])

    @dbus.service.method(MANAGER, in_signature="s")
    def UnrefUnit(self, name):
        """Is not needed any more."""

    @dbus.service.signal(MANAGER, signature="uoss")
    def JobRemoved(self, number, job, unit, result):
        """A service is executed."""


def main():
    """Serves until its process is ended."""
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    manager = Manager(dbus.bus.BusConnection(sys.argv[1]), json.load(sys.stdin))
    print("ready", manager, flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
