"""Prints `N passed, N failed[, N skipped]` for CTest's JUnit files; fails when a test failed or none ran."""
import sys
import xml.etree.ElementTree as xml

failed = skipped = total = 0
for path in sys.argv[1:]:
    for case in xml.parse(path).getroot().iter("testcase"):
        total += 1
        if case.get("status") in ("fail", "timeout") or case.find("failure") is not None:
            failed += 1
            print(f"failed: {case.get('name')}")
        elif case.get("status") != "run":
            skipped += 1
            print(f"skipped: {case.get('name')}")
passed = total - failed - skipped
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(1 if failed or not passed else 0)
