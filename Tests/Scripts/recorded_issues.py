"""The issues that Swift Testing records, for the end of a long output: a log of CI often has only its end."""

import re

# How Swift Testing begins the lines of tests, and those of an issue's comments.
LINE = re.compile(r"^(\S) (Test|Suite|Test run|Test case)\b")
ISSUE = re.compile(r"^✘ Test .* recorded an issue")
# Of an issue, the first lines have the expectation and the last ones what the programs of the test have said.
FIRST, LAST, WIDTH = 4, 36, 200


class RecordedIssues:
    """The issues in an output, which is read line by line."""

    def __init__(self):
        self._issues = []
        self._is_in_issue = False

    def read(self, line):
        """Takes in the next line of the output."""
        if LINE.match(line):
            self._is_in_issue = bool(ISSUE.match(line))
            if self._is_in_issue:
                self._issues.append([])
        if self._is_in_issue:
            self._issues[-1].append(line.rstrip("\n"))

    def lines(self):
        """The lines of each issue, of a long one the first and the last."""
        for issue in self._issues:
            omitted = issue[FIRST:-LAST]
            middle = [f"… {len(omitted)} lines …"] if omitted else []
            for line in [*issue[:FIRST], *middle, *(issue[-LAST:] if omitted else issue[FIRST:])]:
                yield line[:WIDTH]
