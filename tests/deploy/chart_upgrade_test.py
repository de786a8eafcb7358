"""An upgrade of the chart's release: the new version is asked first, then pods and Jobs are replaced."""

import json
import unittest

from chart_test import EVERYTHING
from helm import CHART, Release, helm


class Upgrade(unittest.TestCase):
    def test_another_configuration_is_another_pod_and_another_job(self):
        def of(values):
            release = Release(values)
            return [one["metadata"]["annotations"]["checksum/config"] for one in release.templates() if "checksum/config" in one["metadata"].get("annotations", {})], \
                release.init()["metadata"]["name"]
        pods, job = of({"console": {"enabled": True}})
        self.assertEqual(4, len(pods))
        self.assertEqual(1, len(set(pods)))
        for one in pods:
            self.assertRegex(one, "^[0-9a-f]{64}$")
        other_pods, other_job = of({"console": {"enabled": True}, "config": {"log": {"level": "debug"}}})
        self.assertFalse(set(pods) & set(other_pods))
        self.assertNotEqual(job, other_job)
        # A tag changes the pods by itself; the Job must not keep its name, for Jobs cannot change.
        self.assertNotEqual(job, of({"console": {"enabled": True}, "image": {"tag": "0.1.1"}})[1])

    def test_the_init_jobs_name_has_the_revision(self):
        install = helm("install", "orbweaver", CHART, "--dry-run=client", values={})
        self.assertRegex(install, r"name: orbweaver-init-1-[0-9a-f]{8}\n")
        # Helm counts an upgrade that it only renders as the release's first.
        template = (CHART / "templates/init.yaml").read_text()
        self.assertIn('-init-{{ .Release.Revision }}-{{ $hash }}', template)
        self.assertNotIn("helm.sh/hook", template)

    def test_the_new_version_is_asked_before_anything_changes(self):
        """By the Job of the release, with the new configuration, which at that time no other ConfigMap has."""
        release = Release(EVERYTHING)
        configuration, job = release.hooks()
        self.assertEqual(("ConfigMap", "Job"), (configuration["kind"], job["kind"]))
        self.assertEqual({"orbweaver.yaml": release.configuration()}, configuration["data"])
        for one in (configuration, job):
            self.assertEqual("pre-upgrade,pre-rollback", one["metadata"]["annotations"]["helm.sh/hook"])
            self.assertEqual("before-hook-creation,hook-succeeded", one["metadata"]["annotations"]["helm.sh/hook-delete-policy"])
        self.assertEqual("-1", configuration["metadata"]["annotations"]["helm.sh/hook-weight"])
        text = json.dumps(job["spec"]).replace(configuration["metadata"]["name"], release.name)
        self.assertEqual({**release.init()["spec"], "backoffLimit": 3}, json.loads(text))
        # Each version is asked that is to run.
        versions = [one["spec"]["template"]["spec"]["containers"][0]["image"].rpartition(":")[2] for one in Release(
            {"spider": {"tag": "8"}, "dbWorker": {"tag": "7"}, "strategyWorker": {"tag": "7"}}).hooks()[1:]]
        self.assertEqual(["0.1.0", "8", "7"], versions)


if __name__ == "__main__":
    unittest.main()
