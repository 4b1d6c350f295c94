"""How many of a question's supporting passages are among the first five that basic search reads.

python3 benches/passages.py BINARY PASSAGES.jsonl QUESTIONS.jsonl PROJECT [PROVIDER]

Writes each passage (`id`, `title`, `text`) as a document of the new folder PROJECT, indexes it with the built-in provider and
`embed_text.provider: PROVIDER` (default `auto`), and asks every answerable question (`question`, `supporting_passages`).
"""

import json
import pathlib
import resource
import subprocess
import sys

binary, passages, questions, project = sys.argv[1:5]
provider = sys.argv[5] if len(sys.argv) > 5 else "auto"
root = pathlib.Path(project)
(root / "input").mkdir(parents=True)
(root / "settings.yaml").write_text(f"embed_text:\n  provider: {provider}\n")
for line in open(passages):
    passage = json.loads(line)
    (root / "input" / f"{passage['id']}.txt").write_text(f"{passage['title']}\n\n{passage['text']}")
subprocess.run([binary, "index", "--root", root, "--method", "fast", "--quiet"], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"index: {used.ru_utime + used.ru_stime:.1f} CPU s, {used.ru_maxrss // 1024} MB")

# Text units are numbered in the order of their files' names.
names = sorted(path.stem for path in (root / "input").iterdir())
shares = []
for line in open(questions):
    question = json.loads(line)
    if not question["answerable"]:
        continue
    command = [binary, "query", "--root", root, "--method", "basic", "--json", question["question"]]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    read = [names[row["id"]] for row in answer["context"]["tables"]["sources"]["rows"][:5]]
    wanted = question["supporting_passages"]
    shares.append(sum(passage in read for passage in wanted) / len(wanted))
print(f"recall at 5: {100 * sum(shares) / len(shares):.1f} over {len(shares)} questions")
