"""The rows of benchmarks that are written in Python."""

import json
import re
import subprocess


class Report:
    """Rows as those of bench.cc, with their ratio to the yardstick right before and after."""

    def __init__(self, build, as_json, name):
        self.bench, self.as_json, self.name = build / "tests/bench/orbweaver-bench", as_json, name
        self.speed_before = self.speed()

    def speed(self):
        row = subprocess.run([self.bench, "yardstick", "--json"], check=True, capture_output=True, text=True).stdout
        return json.loads(row)["value"]

    def row(self, name, value, unit, limit, cpu=0.0, wall=0.0):
        after = self.speed()
        speed, self.speed_before = (self.speed_before + after) / 2, after
        time_taken = re.search(r"(^|[ _])[mu]?s(/|$)", unit)
        ratio = value / speed if unit.endswith(("/s", "/cpu_s")) else value * speed if time_taken else None
        if self.as_json:
            print(json.dumps({"bench": self.name, "case": name, "value": round(value, 3), "unit": unit, "ratio": ratio,
                              "yardstick": round(speed, 1), "cpu_s": round(cpu, 3), "wall_s": round(wall, 3),
                              "limit": limit}), flush=True)
        else:
            shown = "" if ratio is None else f"{ratio:.4g}"
            print(f"{self.name:<10} {name:<34} {value:>12.{2 if abs(value) >= 10 else 3}f} {unit:<22} {shown:>10} {limit}", flush=True)
