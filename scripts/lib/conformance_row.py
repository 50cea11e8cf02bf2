"""One row of scripts/mcp-conformance: counts a scenario's checks. Exit 1 where it is not passed.

The suite itself passes a scenario of which no check was made, and one with warnings only; this does not.
"""

import collections
import json
import pathlib
import sys

revision, scenario, folder = sys.argv[1:]
files = sorted(pathlib.Path(folder).rglob("checks.json"))
checks = [check for file in files for check in json.loads(file.read_text())]
count = collections.Counter(check["status"] for check in checks)
passed, failed, warned, skipped = (count[s] for s in ("SUCCESS", "FAILURE", "WARNING", "SKIPPED"))
print(f"{revision:<12} {scenario:<40} {passed:>6} {failed:>6} {warned:>6} {skipped:>7}", flush=True)
for check in checks:
    if check["status"] in ("FAILURE", "WARNING"):
        print(f"    {check['status']} {check['id']}: {check.get('errorMessage', check['description'])}", flush=True)
sys.exit(0 if passed and not failed and not warned else 1)
