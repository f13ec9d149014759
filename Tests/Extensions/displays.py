"""A display of its own for a computer, with a window manager, on which real programs with windows run."""

import os
import subprocess

from devices import IntegrationTest, process


class DisplayTest(IntegrationTest):
    """A test of programs with windows."""

    def display(self, computer):
        """The variables of programs on a new display of a computer."""
        read, write = os.pipe()
        # Without -noreset, it forgets its properties, such as the address of the accessibility bus, whenever it has no
        # client for a moment.
        self.enterContext(process(["Xvfb", "-displayfd", str(write), "-nolisten", "tcp", "-noreset"], pass_fds=[write],
                                  stderr=subprocess.DEVNULL))
        os.close(write)
        with open(read, encoding="ascii") as file:
            # Without the system's schemas of settings, programs with GTK do not start.
            variables = {"DISPLAY": f":{int(file.readline())}", "XDG_DATA_DIRS": "/usr/share"}
        self.enterContext(process(["openbox"], env=computer.environment(**variables), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL))
        return variables
