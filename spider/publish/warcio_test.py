"""What the archive writes, read by warcio: another's reader of WARC files, which checks every digest.

python3 spider/publish/warcio_test.py PROGRAM CACHE: PROGRAM writes files into the folder it is given.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

program, cache = sys.argv[1:3]
environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(cache) / "warcio-1.7.5"))
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([program, folder], check=True)
    files = sorted(map(str, pathlib.Path(folder).iterdir()))
    assert len(files) > 1 and all(f.endswith(".warc.gz") for f in files), files
    check = subprocess.run([sys.executable, "-m", "warcio.cli", "check", "-v", *files], env=environment,
                           capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr
    # Every record with a digest says so of both its digests, which it would not if it skipped them.
    assert check.stdout.count("digest pass") > 100, check.stdout
    index = subprocess.run([sys.executable, "-m", "warcio.cli", "index", "-f",
                            "warc-type,warc-target-uri,http:status", *files],
                           env=environment, check=True, capture_output=True, text=True).stdout
    for kind in ("warcinfo", "request", "response", "revisit"):
        assert f'"warc-type": "{kind}"' in index, kind
    assert '"http:status": "200"' in index, index[:500]
print("ok")
