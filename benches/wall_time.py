"""Wall time of `index --method standard` as a ratio to what the server's latency, or its limit on tokens, allows.

python3 benches/wall_time.py BINARY MOCK_SERVER.py INPUT_FOLDER PROJECT [TOKENS_PER_MINUTE]

Starts the stand-in server (200 ms an answer), indexes INPUT_FOLDER in the new folder PROJECT with 25 requests at once, and compares with

* without a limit: for each stage that waits for the one before it, the larger of calls x latency / 25 and the longest chain of calls
  that must follow each other (the calls of one item; one report a level), at the latency that the calls saw; and one probe before,
  one embedding of reports after;
* with TOKENS_PER_MINUTE: the tokens used, at that rate: no window of a minute may hold more.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.request

binary, mock, source, project = sys.argv[1:5]
limit = int(sys.argv[5]) if len(sys.argv) > 5 else None
port, latency, width = 18799, 0.2, 25
root = pathlib.Path(project)
shutil.copytree(source, root / "input")
rate = f"    rate_limit: {{tokens_per_period: {limit}, period_in_seconds: 60}}\n" if limit else ""
(root / "settings.yaml").write_text(
    f"""concurrent_requests: {width}
completion_models:
  default_completion_model:
    model_provider: stand-in
    model: m
    api_base: http://127.0.0.1:{port}/v1
{rate}embedding_models:
  default_embedding_model:
    model_provider: stand-in
    model: e
    api_base: http://127.0.0.1:{port}/v1
"""
)
server = subprocess.Popen(
    [sys.executable, mock, "--port", str(port), "--latency-ms", str(latency * 1000), "--dim", "384"],
    stdout=subprocess.DEVNULL,
)
try:
    for _ in range(100):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/stats")
            break
        except OSError:
            time.sleep(0.1)
    start = time.monotonic()
    subprocess.run([binary, "index", "--root", root, "--method", "standard", "--quiet"], check=True)
    wall = time.monotonic() - start
finally:
    server.terminate()

took, tokens = {}, 0
for line in open(root / "output" / "ledger.jsonl"):
    event = json.loads(line)
    if event["event"] == "call" and event["result"] == "answered":
        took.setdefault(event["stage"], []).append((event["item"], event["milliseconds"] / 1000))
        if event["model"] == "m":
            tokens += event["prompt_tokens"] + event["completion_tokens"]


def mean(stage):
    return sum(second for _, second in took[stage]) / len(took[stage])


def ideal_of(*stages, levels=1):
    chains = {}
    for name in stages:
        for item, second in took.get(name, []):
            chains[item] = chains.get(item, 0) + second
    return max(sum(chains.values()) / width, max(chains.values(), default=0) * levels)


for stage in took:
    print(f"{stage}: {len(took[stage])} calls of {1000 * mean(stage):.0f} ms")
if limit:
    ideal = tokens / limit * 60
else:
    levels = len(json.load(open(root / "output" / "stats.json"))["summary"]["communities_by_level"])
    ideal = mean("probe") + ideal_of("extract_graph", "glean", "extract_claims") + ideal_of("summarize_descriptions")
    ideal += ideal_of("community_reports", levels=levels) + mean("embed_text")
print(f"wall {wall:.2f} s, ideal {ideal:.2f} s, ratio {wall / ideal:.3f}")
