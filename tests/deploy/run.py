"""Programs, run to their end."""

import subprocess


def run(command, **options):
    """Returns its output. AssertionError, with the end of the output, when it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **{"stdin": subprocess.DEVNULL, **options})
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-40:])
        raise AssertionError(f"`{' '.join(words)}` ended with {done.returncode}:\n{tail}")
    return done.stdout
