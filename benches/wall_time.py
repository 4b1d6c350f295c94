"""Wall time of `index --method standard` as a ratio to what the server's latency, or its limit on tokens, allows.

python3 benches/wall_time.py BINARY MOCK_SERVER.py INPUT_FOLDER PROJECT [TOKENS_PER_MINUTE]

Starts the stand-in server (200 ms an answer), indexes INPUT_FOLDER in the new folder PROJECT with 25 requests at once, and compares with

* without a limit: for each stage that waits for the one before it, the larger of calls x latency / 25 and the chain of calls that
  must follow each other (one report a level), at the mean latency that the calls of the stage saw;
* with TOKENS_PER_MINUTE: the tokens used, less the burst that a full limit allows at the start, at that rate.
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
        took.setdefault(event["stage"], []).append(event["milliseconds"] / 1000)
        if event["model"] == "m":
            tokens += event["prompt_tokens"] + event["completion_tokens"]
for stage, seconds in took.items():
    print(f"{stage}: {len(seconds)} calls of {1000 * sum(seconds) / len(seconds):.0f} ms")
if limit:
    ideal = max(tokens - limit, 0) / limit * 60
else:
    levels = len(json.load(open(root / "output" / "stats.json"))["summary"]["communities_by_level"])

    def stage(names, chain=1):
        seconds = [second for name in names for second in took.get(name, [])]
        return max(sum(seconds) / width, chain * sum(seconds) / max(len(seconds), 1))

    extraction = ("extract_graph", "glean", "extract_claims")
    ideal = stage(extraction) + stage(["summarize_descriptions"]) + stage(["community_reports"], levels)
print(f"wall {wall:.2f} s, ideal {ideal:.2f} s, ratio {wall / ideal:.3f}")
