"""Prints which lines of a requirements file the system's own packages satisfy: their numbers, from 0.

Checks only the packages that the file names: the distribution provides their dependencies, and its metadata is not
always exact about those.
"""

import sys
from importlib import metadata

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement


def is_satisfied(line):
    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        # An option, a path, or invalid: left to pip.
        return False
    if requirement.url or requirement.extras:
        return False
    if requirement.marker and not requirement.marker.evaluate():
        return True
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return False
    return requirement.specifier.contains(version, prereleases=True)


def main(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.split(" #")[0].strip() for line in file]
    for number, line in enumerate(lines):
        if line and not line.startswith("#") and is_satisfied(line):
            print(number)


if __name__ == "__main__":
    main(sys.argv[1])
