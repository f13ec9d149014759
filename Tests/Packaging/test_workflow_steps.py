#!/usr/bin/env python3
"""Tests of workflow-steps, which needs PyYAML: .cache/github/bin/python Tests/Packaging/test_workflow_steps.py"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from repositories import ROOT

WORKFLOW = """\
on: push
env: {OF_ALL: workflow, OF_JOB: workflow}
jobs:
  one:
    runs-on: ubuntu-24.04
    env: {OF_JOB: job}
    steps:
      - uses: actions/checkout@v0
      - name: Greet
        env: {SECRET: "${{ secrets.SECRET }}"}
        run: echo "$OF_ALL $OF_JOB it's $SECRET"
      - name: Fail
        run: |
          false | true
          echo not reached
      - run: echo not reached
  two:
    runs-on: ubuntu-24.04
    steps:
      - if: failure()
        run: echo "$GITHUB_REF"
"""


class WorkflowSteps(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.workflow = self.directory / "workflow.yml"
        self.workflow.write_text(WORKFLOW)

    def script(self, *arguments):
        command = [sys.executable, ROOT / "Tests/Scripts/workflow-steps", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def run_in_directory(self, script, **variables):
        environment = {**os.environ, **variables}
        command = ["bash", "-c", script]
        return subprocess.run(command, cwd=self.directory, env=environment, capture_output=True, text=True, check=False)

    def test_each_step_runs_in_its_environment_until_one_fails(self):
        done = self.run_in_directory(self.script(self.workflow, "one").stdout, SECRET="known")
        self.assertEqual((done.returncode, done.stdout), (1, "workflow job it's known\n"))
        said = ["== not run here: actions/checkout@v0", "== Greet", "== Fail"]
        self.assertEqual(done.stderr.splitlines(), said)

    def test_the_steps_before_one(self):
        done = self.run_in_directory(self.script("--until", "Fail", self.workflow, "one").stdout, SECRET="known")
        self.assertEqual((done.returncode, done.stdout), (0, "workflow job it's known\n"))

    def test_a_variable_that_GitHub_sets_has_to_be_set(self):
        done = self.run_in_directory(self.script(self.workflow, "one").stdout)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("SECRET", done.stderr)

    def test_a_step_with_a_condition_is_refused(self):
        self.assertIn("depends on what only GitHub knows", self.script(self.workflow, "two").stderr)

    def test_a_job_or_a_step_that_does_not_exist_is_refused(self):
        self.assertIn("has no job three, but one, two", self.script(self.workflow, "three").stderr)
        self.assertIn("has no step 'None'", self.script("--until", "None", self.workflow, "one").stderr)


if __name__ == "__main__":
    unittest.main()
