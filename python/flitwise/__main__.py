"""``python -m flitwise`` runs the command ``flitwise``."""

import os
import sys
import sysconfig

NAME = "flitwise.exe" if os.name == "nt" else "flitwise"


def main() -> None:
    schemes = sysconfig.get_scheme_names()
    folders = [sysconfig.get_path("scripts"), *(sysconfig.get_path("scripts", scheme) for scheme in schemes)]
    command = next((path for folder in folders if os.path.isfile(path := os.path.join(folder, NAME))), None)
    if command is None:
        sys.exit(f"error: {folders[0]} does not contain {NAME}")
    if os.name == "nt":
        import subprocess

        sys.exit(subprocess.call([command, *sys.argv[1:]]))
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    main()
