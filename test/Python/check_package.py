#!/usr/bin/env python3
"""Checks of the Python package, by name, on a target.

usage: check_package.py --target=cpu|cuda|none [NAME ...]
       check_package.py --target=cpu|cuda|none --list

Without names all checks of the target run. 'none' is for machines without a
GPU. The exit status is 77 where all that were asked for had to be skipped, and
0 where none failed.
"""

import argparse
import sys
import traceback

import argument_checks  # which register their checks
import call_checks
import driver_checks
import failure_checks
import gpu_checks
import host_checks
import lifetime_checks
from checks import CHECKS, SKIPPED, Skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True, choices=sorted(CHECKS))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    checks = CHECKS[options.target]
    if options.list:
        print("\n".join(checks))
        return 0
    passed = failed = skipped = 0
    for name in options.names or checks:
        try:
            checks[name](options.target)
            passed += 1
        except Skip as reason:
            skipped += 1
            print(f"skipped: {name}: {reason}")
        except Exception as error:
            failed += 1
            print(f"FAILED: {name}: {type(error).__name__}: {error}", flush=True)
            traceback.print_exc(limit=-3)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if failed:
        return 1
    return 0 if passed else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
