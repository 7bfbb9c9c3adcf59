#!/usr/bin/python3
# kubernetes.py - check the manifests of examples/kubernetes, and extract what cpa reads from them
# SPDX-License-Identifier: Apache-2.0
"""usage: kubernetes.py EXAMPLES PAGE FOLDER

Fails with a message if a manifest lacks what cpa needs. Writes to FOLDER: collect.cpa; discovery.cpa; job.sh; commands, an argument list of cpa
per line, as words of the shell.
"""
import glob
import re
import shlex
import sys

import yaml

examples, page, folder = sys.argv[1:]
KINDS = {"ConfigMap": "v1", "Service": "v1", "Deployment": "apps/v1", "StatefulSet": "apps/v1", "Job": "batch/v1",
         "NetworkPolicy": "networking.k8s.io/v1", "ServiceAccount": "v1", "PersistentVolumeClaim": "v1",
         "Role": "rbac.authorization.k8s.io/v1", "RoleBinding": "rbac.authorization.k8s.io/v1"}
commands, objects = [], {}


def containers(o):
    return o["spec"]["template"]["spec"]["containers"]


def check_pod(o):
    """A pod with cpa runs without privileges, and can write its store and /tmp."""
    pod = o["spec"]["template"]["spec"]
    volumes = {v["name"] for v in pod.get("volumes", [])} | {c["metadata"]["name"] for c in o["spec"].get("volumeClaimTemplates", [])}
    for c in (c for c in containers(o) if "/cpa:" in c["image"]):
        context = {**pod.get("securityContext", {}), **c["securityContext"]}
        mounts = {m["mountPath"]: m["name"] for m in c["volumeMounts"]}
        assert context["runAsNonRoot"] and context["readOnlyRootFilesystem"] and context["fsGroup"] == context["runAsGroup"], o["kind"]
        assert set(mounts.values()) <= volumes and "/tmp" in mounts, mounts
        if "command" not in c:
            commands.append(c["args"])
        if "livenessProbe" in c:
            assert c["livenessProbe"]["exec"]["command"][0] == "cpa"
            commands.append(c["livenessProbe"]["exec"]["command"][1:])


for path in sorted(glob.glob(examples + "/*.yaml")):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    commands += [shlex.split(line.split(" -- cpa ")[1]) for line in re.findall(r"^#\t(.* -- cpa .*)", text, re.M)]
    for o in yaml.safe_load_all(text):
        assert KINDS[o["kind"]] == o["apiVersion"], (path, o["kind"])
        objects[o["kind"], o["metadata"].get("name", "")] = o
        if "template" in o.get("spec", {}):
            assert o["kind"] == "Job" or o["spec"]["selector"]["matchLabels"].items() <= o["spec"]["template"]["metadata"]["labels"].items()
            check_pod(o)

config = objects["ConfigMap", "cpa-collect"]["data"]["collect.cpa"]
name, port = re.search(r"dns=([a-z-]+)\.default\.svc\.cluster\.local:(\d+)", config).groups()
service = objects["Service", name]["spec"]
assert service["clusterIP"] == "None" and service["ports"][0]["port"] == int(port), "the targets are not those of the service"
shop = objects["Deployment", "shop"]["spec"]["template"]["metadata"]
assert service["selector"].items() <= shop["labels"].items() and shop["annotations"]["dapr.io/enable-profiling"] == "true"
policy = objects["NetworkPolicy", "shop-pprof"]["spec"]
assert policy["podSelector"]["matchLabels"] == service["selector"]
collector = objects["StatefulSet", "cpa-collect"]
assert policy["ingress"][1]["from"][0]["podSelector"]["matchLabels"] == collector["spec"]["template"]["metadata"]["labels"]
assert policy["ingress"][1]["ports"][0]["port"] == int(port) and collector["spec"]["replicas"] == 1
store = re.search(r"store\s+(\S+)", config).group(1)
assert any(store.startswith(m["mountPath"] + "/") for m in containers(collector)[0]["volumeMounts"]), store

discovery = objects["ConfigMap", "cpa-collect-discovery"]["data"]["collect.cpa"]
role, binding = objects["Role", "cpa-collect"], objects["RoleBinding", "cpa-collect"]
account, finder = objects["ServiceAccount", "cpa-collect"]["metadata"], objects["Deployment", "cpa-collect-discovery"]
assert role["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}]
assert role["metadata"]["namespace"] == binding["metadata"]["namespace"] == re.search(r"kubernetes namespace=(\S+)", discovery).group(1)
assert binding["roleRef"]["name"] == role["metadata"]["name"] and binding["subjects"][0].items() >= {"kind": "ServiceAccount", **account}.items()
pod = finder["spec"]["template"]["spec"]
assert pod["serviceAccountName"] == account["name"] and pod["automountServiceAccountToken"] and account["namespace"] == finder["metadata"]["namespace"]
claim = objects["PersistentVolumeClaim", next(v["persistentVolumeClaim"]["claimName"] for v in pod["volumes"] if "persistentVolumeClaim" in v)]
assert claim["metadata"]["namespace"] == finder["metadata"]["namespace"]
assert shop["annotations"]["cpa.dev/scrape"] == "true"

with open(page, encoding="utf-8") as f:
    lines = [line for block in re.findall(r"^```\n(.*?)^```", f.read(), re.M | re.S) for line in block.splitlines()]
commands += [shlex.split(re.sub(r"^.* -- cpa |^cpa |  +#.*", "", line)) for line in lines if re.match("cpa |kubectl exec .* -- cpa ", line)]
job = next(o for (kind, _), o in objects.items() if kind == "Job")
for file, content in ("collect.cpa", config), ("discovery.cpa", discovery), ("job.sh", containers(job)[0]["args"][0]), ("commands", "".join(shlex.join(c) + "\n" for c in commands)):
    with open(f"{folder}/{file}", "w", encoding="utf-8") as f:
        f.write(content)
