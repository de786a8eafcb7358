"""The archive's files, read by warcio: another's reader of WARC files, which checks every digest.

python3 spider/publish/warcio_test.py PROGRAM CACHE: PROGRAM writes files into the folder it is given.
"""
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

program, cache = sys.argv[1:3]
sys.path.insert(0, str(pathlib.Path(cache) / "warcio-1.7.5"))
from warcio.archiveiterator import ArchiveIterator  # noqa: E402

environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(cache) / "warcio-1.7.5"))
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([program, folder], check=True)
    files = sorted(map(str, pathlib.Path(folder).glob("*.warc.gz")))
    indexes = sorted(map(str, pathlib.Path(folder).glob("*.cdxj")))
    assert len(files) > 1 and len(files) + len(indexes) == len(list(pathlib.Path(folder).iterdir()))
    assert [f.removesuffix(".warc.gz") for f in files] == [i.removesuffix(".cdxj") for i in indexes]
    check = subprocess.run([sys.executable, "-m", "warcio.cli", "check", "-v", *files], env=environment,
                           capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr
    # Every record with a digest says so of both its digests, which it would not if it skipped them.
    assert check.stdout.count("digest pass") > 100, check.stdout
    index = subprocess.run([sys.executable, "-m", "warcio.cli", "index", "-f",
                            "warc-type,warc-target-uri,http:status,warc-profile,warc-refers-to-target-uri,"
                            "warc-payload-digest", *files],
                           env=environment, check=True, capture_output=True, text=True).stdout
    for kind in ("warcinfo", "request", "response", "revisit"):
        assert f'"warc-type": "{kind}"' in index, kind
    assert '"http:status": "200"' in index, index[:500]
    entries = [json.loads(line) for line in index.splitlines()]
    # Also without a reason in the status line, and of an answer whose content was refused.
    for status in ("200", "304", "403", "404"):
        found = [e for e in entries if e.get("http:status") == status]
        assert len(found) >= 20, (status, len(found))
    revisits = [e for e in entries if e["warc-type"] == "revisit"]
    not_modified = [e for e in revisits if e["http:status"] == "304"]
    assert len(not_modified) == 20, len(not_modified)
    for entry in not_modified:
        assert entry["warc-profile"].endswith("/revisit/server-not-modified"), entry
        assert entry["warc-refers-to-target-uri"] == entry["warc-target-uri"], entry
        assert "warc-payload-digest" not in entry, entry
    again = [e for e in revisits if e["http:status"] == "200"]
    assert len(again) == 19, len(again)
    for entry in again:
        assert entry["warc-profile"].endswith("/revisit/identical-payload-digest"), entry
        assert entry["warc-refers-to-target-uri"] == "http://a.test/3", entry
        assert entry["warc-payload-digest"].startswith("sha1:"), entry
    # As another's reader sees it: the head of the answer, and nothing behind it.
    with open(files[0], "rb") as stream:
        record = next(r for r in ArchiveIterator(stream) if r.rec_type == "revisit")
        assert record.http_headers.get_statuscode() == "304", record.http_headers
        assert record.http_headers.get_header("ETag") == '"x"', record.http_headers
        assert record.content_stream().read() == b""
    # Each line of an index leads to its record and says what another's reader finds there; every answer has one.
    answers = 0
    for index_file in indexes:
        lines = open(index_file).read().splitlines()
        assert lines == sorted(lines), index_file
        for line in lines:
            key, time, fields = line.split(" ", 2)
            fields = json.loads(fields)
            assert key == "test,a)" + fields["url"].removeprefix("http://a.test"), line
            with open(pathlib.Path(folder) / fields["filename"], "rb") as stream:
                stream.seek(int(fields["offset"]))
                member = io.BytesIO(stream.read(int(fields["length"])))
            record = next(ArchiveIterator(member, check_digests="raise"))
            assert record.rec_headers.get_header("WARC-Target-URI") == fields["url"], line
            assert re.sub(r"\D", "", record.rec_headers.get_header("WARC-Date"))[:14] == time, line
            assert record.http_headers.get_statuscode() == fields["status"], line
            assert (record.rec_type == "revisit") == (fields.get("mime") == "warc/revisit"), line
            digest = record.rec_headers.get_header("WARC-Payload-Digest")
            assert digest == fields.get("digest"), line
            record.content_stream().read()
            assert member.read() == b"", line
        answers += len(lines)
    assert answers == len(entries) - sum(e["warc-type"] in ("request", "warcinfo") for e in entries), answers
print("ok")
