# workflow.py - run the steps of a GitHub workflow and of the composite action gate, as the runner does
# SPDX-License-Identifier: Apache-2.0
#
# usage: workflow.py WORKFLOW ACTION_FOLDER FOLDER [INPUT=VALUE]...
# Runs the first job in the current folder. FOLDER gets the files of the runner. Other actions are named and left out.
# INPUT=VALUE replaces an input of the action. Exit status: that of the step that failed.
import os
import re
import subprocess
import sys

import yaml


class Runner:
    def __init__(self, folder):
        self.folder, self.failed, self.n = folder, 0, 0
        self.path = os.environ["PATH"]

    def file(self, name):
        path = os.path.join(self.folder, name)
        open(path, "a", encoding="utf-8").close()
        return path

    def run(self, step, context):
        """Run a step with the files of the runner; its outputs are added to the context."""
        self.n += 1
        script, outputs = self.file(f"script-{self.n}"), self.file(f"output-{self.n}")
        with open(script, "w", encoding="utf-8") as f:
            f.write(expand(step["run"], context))
        env = dict(os.environ, PATH=self.path, GITHUB_OUTPUT=outputs, GITHUB_PATH=self.file("path"), RUNNER_TEMP=self.folder,
                   GITHUB_STEP_SUMMARY=self.file("summary"), GITHUB_WORKSPACE=os.getcwd(), GITHUB_BASE_REF="main")
        env.update({name: expand(str(value), context) for name, value in step.get("env", {}).items()})
        status = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], env=env, check=False).returncode
        with open(self.file("path"), encoding="utf-8") as f:
            self.path = ":".join([*reversed(f.read().split()), os.environ["PATH"]])
        with open(outputs, encoding="utf-8") as f:
            context.update({f"steps.{step.get('id')}.outputs.{name}": value
                            for name, _, value in (line.rstrip("\n").partition("=") for line in f)})
        print(f"step {step.get('name', 'run')}: {status}", flush=True)
        self.failed = self.failed or status

    def steps(self, steps, context, action, inputs):
        for step in steps:
            if self.failed and "always()" not in step.get("if", ""):
                print(f"step {step.get('name', step.get('uses'))}: left out after a failure")
            elif "run" in step:
                self.run(step, context)
            elif re.match(r"[^/]+/cpa/gate@", step["uses"]):
                self.composite(action, {**step.get("with", {}), **inputs})
            else:
                print(f"step {step['uses']}: another action")

    def composite(self, folder, given):
        with open(os.path.join(folder, "action.yml"), encoding="utf-8") as f:
            action = yaml.safe_load(f)
        unknown = set(given) - set(action["inputs"])
        lacking = {n for n, i in action["inputs"].items() if i.get("required")} - set(given)
        if unknown or lacking or any(s.get("shell") != "bash" for s in action["runs"]["steps"]):
            sys.exit(f"workflow.py: inputs unknown: {unknown}, missing: {lacking}, or a step without shell")
        context = {f"inputs.{n}": str(given.get(n, i.get("default", ""))) for n, i in action["inputs"].items()}
        context["github.action_path"] = folder
        self.steps(action["runs"]["steps"], context, folder, {})
        for name, output in action["outputs"].items():
            print(f"output {name}={expand(output['value'], context)}")


def expand(text, context):
    return re.sub(r"\$\{\{\s*([\w.]+)\s*\}\}", lambda m: context.get(m.group(1), ""), text)


workflow, action_folder, runner_folder = sys.argv[1:4]
with open(workflow, encoding="utf-8") as file:
    job = next(iter(yaml.safe_load(file)["jobs"].values()))
runner = Runner(runner_folder)
runner.steps(job["steps"], {}, action_folder, dict(word.split("=", 1) for word in sys.argv[4:]))
sys.exit(runner.failed)
