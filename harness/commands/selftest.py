"""``harness selftest``: proof, on this machine, that no known failure gets into a rate."""

import os
import sys

from harness.commands.options import ClaudePath, Jobs, Json, ResultsToLookAt, Sandbox


def command(
    jobs: Jobs = 2,
    sandbox: Sandbox = "auto",
    claude: ClaudePath = None,
    results: ResultsToLookAt = None,
    json: Json = False,
) -> None:
    """Let every known failure happen to the real claude; each run must come out invalid, for the right reason.

    Exit code: 3 all invalid with the right reason, as it should be; 1 one came out otherwise; 2 a mistake to mend.
    """
    from harness.report.document import as_json
    from harness.report.selftest import as_text
    from harness.selftest.battery import Request, exit_code, run_battery

    kept = results.absolute() if results is not None else None
    tried = run_battery(Request(jobs=jobs, sandbox=sandbox, claude=claude, results=kept), os.environ)
    if json:
        print(as_json([t.as_dict() for t in tried]))
        for one in tried:
            if one.wrong:
                print(f"harness: {one.case}: {one.wrong}", file=sys.stderr)
    else:
        print(as_text(tried))
    sys.exit(exit_code(tried))
