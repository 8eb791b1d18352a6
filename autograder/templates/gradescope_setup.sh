#!/usr/bin/env bash
# Run once as root, when Gradescope builds the image; see README.md.
set -euo pipefail
cd /autograder/source
export DEBIAN_FRONTEND=noninteractive

# The solutions and the secret seed: for root alone, whatever the image's defaults are.
chmod 700 /autograder/source

apt-get update -qq
apt-get install -qqy --no-install-recommends bubblewrap libseccomp2 python3 python3-venv
python=python3
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  python=python3.11 # beside the older one of Ubuntu 22.04
  apt-get install -qqy --no-install-recommends python3.11 python3.11-venv
fi

# Beside the solutions, not in their folder: a submission must be able to read Python and torch.
"$python" -m venv /autograder/venv
/autograder/venv/bin/python -m pip install -q --disable-pip-version-check -r requirements.txt
