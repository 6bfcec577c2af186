#!/usr/bin/env python3
"""Compares all outputs of two sinew binaries on the built-in data, byte by byte.

    tools/compare_outputs.py OLD NEW [--jobs N] [--words FILE] [--only VERB] [--keep FOLDER] [--data FOLDER]

Every verb is run by both binaries with the same words in two folders. Printed text, JSON and written files must be equal.
Measured times are masked. A words file holds one `old -> new` per line (`#` starts a comment; `re:` before old makes it a
regular expression); the replacements are applied to the text of OLD before it is compared, the JSON of a .glb included.
Exit codes: 0 everything is equal, 1 something differs, 2 the command line is wrong.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Keys and printed numbers that are measured with a clock.
MASKS = [
    ("time_factor", re.compile(r'("time_factor": ?)[-+0-9.eE]+'), r"\1TIME"),
    ("seconds_spent", re.compile(r'("seconds_spent": ?)[-+0-9.eE]+'), r"\1TIME"),
    ("filtered in ", re.compile(r"(filtered in )[0-9.]+ s"), r"\1TIME"),
    ("× real time", re.compile(r" \S{1,12} × real time"), " TIME × real time"),
]
TEXT = {".json", ".txt", ".toml", ".bvh", ".gltf", ".csv", ".svg", ".md"}


class Job:
    """One or several commands run in a folder of their own; later ones may read what earlier ones wrote."""

    def __init__(self, name, *commands):
        self.name, self.commands, self.seconds = name, commands, [0.0, 0.0]

    @property
    def verb(self):
        return self.name.split("/")[0]


def jobs_for(data):
    """Lists all jobs for a data folder."""
    clips = sorted((data / "clips").glob("*.bvh")) + sorted((data / "damaged").glob("*.bvh"))
    characters = sorted((data / "characters").glob("*.glb"))
    figures = sorted((data / "figures").glob("*.toml"))
    files = clips + characters
    verbs = ["info", "convert", "report", "retarget", "filter", "simulate", "ragdoll", "run", "view"]
    jobs = [Job("help/all", ["--help"], *[[verb, "--help"] for verb in verbs])]
    jobs.append(Job("refused/files", ["info", "no_such_file.bvh"], ["convert", str(clips[0]), "-o", "out.xyz"],
                    ["filter", str(clips[0]), "--clip", "nobody"], ["run", "no_such_scene"], ["run", "--list"],
                    ["run", "--schema"], ["report", "--explain"], ["simulate", str(clips[0]), "--push", "nose:1,2@3"]))
    for file in files:
        f, stem = str(file), file.stem
        jobs.append(Job(f"info/{stem}", ["info", f], ["info", "--json", "--all", f],
                        ["info", "--figure", "--save-figure", "figure.toml", f], ["info", "--figure", "--json", f]))
        jobs.append(Job(f"convert/{stem}", *[["convert", f, "-o", f"out.{e}", "--json"] for e in ("bvh", "glb", "gltf")],
                        ["convert", f, "-o", "cut.glb", "--start", "0.2", "--end", "40f", "--rate", "24", "--mirror", "--reduce", "0.5"],
                        ["convert", "out.glb", "-o", "again.bvh"], ["info", "--json", "out.gltf"]))
        jobs.append(Job(f"report/{stem}", ["report", f, "-v"], ["report", f, "--json"]))
        jobs.append(Job(f"ragdoll/{stem}", ["ragdoll", f, "-o", "out.glb", "--record", "record.json", "--report", "report.json"],
                        ["ragdoll", f, "--json", "--slope", "10", "--at", "0.1", "--drop", "0.3", "-o", "out.bvh"]))
    for clip in clips:
        f, stem = str(clip), clip.stem
        jobs.append(Job(f"filter/{stem}", ["filter", f, "-o", "out.bvh", "--json", "--report", "report.json", "--curves",
                                           "curves.csv", "--save-contacts", "contacts.toml", "--write-anyway"],
                        ["filter", f, "-o", "again.glb", "--contacts", "contacts.toml", "--write-anyway"],
                        ["report", f, "out.bvh", "--json"], ["report", f, "out.bvh"]))
        jobs.append(Job(f"simulate/{stem}", ["simulate", f, "-o", "out.glb", "--record", "record.json", "--report", "report.json"],
                        ["simulate", f, "-o", "push.bvh", "--json", "--push", "chest:20,0,0@0.5", "--root-assist", "0.2", "--trip", "40",
                         "--for", "2"]))
        for character in characters:
            jobs.append(Job(f"retarget/{stem} to {character.stem}",
                            ["retarget", f, "--to", str(character), "-o", "out.glb", "--report", "report.json", "--save-map", "map.toml"],
                            ["retarget", f, "--to", str(character), "-o", "out.bvh", "--json", "--keep-hands", "--path", "kept"]))
    walk, skating, actor = str(data / "clips/walk.bvh"), str(data / "damaged/walk_skating.bvh"), str(data / "characters/actor.glb")
    jobs.append(Job("filter/options", *[["filter", skating, "-o", f"out_{n}.glb", "--json", "--write-anyway", *words] for n, words in enumerate(
        [["--slope", "8"], ["--stairs"], ["--keep-root"], ["--strength", "0.5"], ["--no-repair", "--no-limits"], ["--cutoff", "6"],
         ["--loop"], ["--mass", "60"], ["--simulate"]])]))
    jobs.append(Job("simulate/options", *[["simulate", walk, "-o", f"out_{n}.glb", "--json", "--record", f"record_{n}.json", *words]
                                          for n, words in enumerate(
        [["--slope", "8"], ["--stairs"], ["--stairs=up"], ["--throw", "3:8@0.6"], ["--loose", "left arm"], ["--attach", "right hand:3"],
         ["--attach", "left hand:2:swing"], ["--ragdoll-at", "0.5"], ["--strength", "1", "--root-assist", "0"], ["--substeps", "2"],
         ["--stiffness", "8"]])]))
    several = [str(clip) for clip in clips[:3]]
    part = ["--start", "0.2", "--end", "40f"]
    jobs.append(Job("several", ["info", *several], ["report", *several, *part], ["simulate", *several, *part, "-o", "out/", "--report", "told/"],
                    ["info", several[0], "--like", several[1]], ["report", several[0], "--unit", "m"]))
    jobs.append(Job("retarget/physics", ["retarget", walk, "--to", str(data / "characters/heavy.glb"), "-o", "out.glb", "--physics", "--json"],
                    ["retarget", walk, "--to", actor, "-o", "flat.glb", "--no-contacts", "--no-limits", "--ground", "0"],
                    ["convert", walk, "--into", actor, "-o", "into.glb"]))
    for figure in figures:
        clip = data / "clips" / f"{figure.stem}_walk.bvh"
        if clip.exists():
            jobs.append(Job(f"simulate/figure {figure.stem}", ["simulate", str(clip), "--figure", str(figure), "-o", "out.glb", "--json"]))
    for scene in sorted((data / "scenes").glob("*.toml")):
        jobs.append(Job(f"run/{scene.stem}", ["run", str(scene), "-o", "out.glb", "--record", "record.json", "--json"]))
    # Long jobs first, so that no core idles at the end.
    order = {"run": 0, "filter": 0, "simulate": 1, "retarget": 1}
    return sorted(jobs, key=lambda job: order.get(job.verb, 2))


def run(job, binaries, folders, timeout):
    """Runs a job with both binaries."""
    for side, (binary, folder) in enumerate(zip(binaries, folders)):
        place = folder / job.name
        place.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        for n, words in enumerate(job.commands):
            try:
                done = subprocess.run([str(binary), *words], cwd=place, capture_output=True, timeout=timeout,
                                      env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"})
                code, out, err = done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired:
                code, out, err = "timeout", b"", b""
            name = f"command_{n}"
            (place / f"{name}.stdout.txt").write_bytes(out)
            err = err.replace(binary.name.encode(), b"sinew")
            (place / f"{name}.stderr.txt").write_bytes(err + f"\nexit {code}\n".encode())
            if b"Usage: " + binary.name.encode() in out:
                (place / f"{name}.stdout.txt").write_bytes(out.replace(binary.name.encode(), b"sinew"))
        job.seconds[side] = time.monotonic() - start
    return job


def parts(path, words):
    """Splits a file into named parts that are compared: text as str, all else as bytes."""
    data = path.read_bytes()
    if path.suffix == ".glb" and data[:4] == b"glTF":
        found, at = {}, 12
        while at + 8 <= len(data):
            length, kind = struct.unpack("<I4s", data[at : at + 8])
            body = data[at + 8 : at + 8 + length]
            is_json = kind == b"JSON"
            found[kind.decode("ascii", "replace")] = clean(body.decode().rstrip(), words) if is_json else body
            at += 8 + length
        return found
    if path.suffix in TEXT:
        return {"text": clean(data.decode("utf-8", "replace"), words)}
    return {"bytes": data}


def clean(text, words):
    """Masks measured times and applies the replacements."""
    for mark, pattern, replacement in MASKS:
        if mark in text:
            text = pattern.sub(replacement, text)
    for old, new in words:
        text = old.sub(lambda _: new, text) if isinstance(old, re.Pattern) else text.replace(old, new)
    return text


def difference(a, b):
    """Says where two parts differ; None if they are equal."""
    if a == b:
        return None
    if isinstance(a, bytes) or isinstance(b, bytes):
        at = next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        return f"{len(a)} and {len(b)} bytes, first difference at {at}"
    for n, (x, y) in enumerate(zip(a.splitlines(), b.splitlines()), 1):
        if x != y:
            at = next((k for k, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
            return f"line {n}, column {at + 1}:\n      {x[max(0, at - 60) : at + 60]!r}\n      {y[max(0, at - 60) : at + 60]!r}"
    return f"{len(a.splitlines())} and {len(b.splitlines())} lines"


def compare(job, folders, words):
    """Compares all files of a job; gives their number and what differs."""
    old, new = (folder / job.name for folder in folders)
    names = sorted({p.relative_to(root).as_posix() for root in (old, new) for p in root.rglob("*") if p.is_file()})
    found = []
    for name in names:
        if not (old / name).exists() or not (new / name).exists():
            found.append((name, f"only in {'NEW' if (new / name).exists() else 'OLD'}"))
            continue
        if not words and (old / name).read_bytes() == (new / name).read_bytes():
            continue
        a, b = parts(old / name, words), parts(new / name, [])
        for part in sorted(a.keys() | b.keys()):
            told = difference(a.get(part, b""), b.get(part, b""))
            if told:
                found.append((name, told))
    return len(names), found


def read_words(path):
    """Reads the replacements of a words file."""
    words = []
    for line in Path(path).read_text().splitlines():
        line = line.split("#")[0].rstrip()
        if not line.strip():
            continue
        old, arrow, new = line.replace("→", "->").partition(" -> ")
        if not arrow:
            raise SystemExit(f"{path}: expected `old -> new`, found {line!r}")
        old = old.strip()
        words.append((re.compile(old[3:]) if old.startswith("re:") else old, new.strip()))
    return words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="jobs side by side")
    parser.add_argument("--words", help="file with replacements `old -> new` for the text of OLD")
    parser.add_argument("--only", action="append", help="run only jobs whose name starts so, such as run or filter/walk")
    parser.add_argument("--keep", type=Path, help="write the outputs here and leave them")
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parent.parent / "data")
    parser.add_argument("--most", type=int, default=20, help="differences to show")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one command")
    options = parser.parse_args()
    binaries = [options.old.resolve(), options.new.resolve()]
    for binary in binaries:
        if not os.access(binary, os.X_OK):
            parser.error(f"{binary} cannot be run")
    words = read_words(options.words) if options.words else []
    root = options.keep or Path(tempfile.mkdtemp(prefix="sinew-compare-"))
    folders = [root.resolve() / "old", root.resolve() / "new"]
    jobs = jobs_for(options.data.resolve())
    if options.only:
        jobs = [job for job in jobs if any(job.name.startswith(start) for start in options.only)]
    table, differences = {}, []
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            runs = [pool.submit(run, job, binaries, folders, options.timeout) for job in jobs]
            for n, done in enumerate(concurrent.futures.as_completed(runs), 1):
                job = done.result()
                if sys.stderr.isatty():
                    print(f"\r{n}/{len(jobs)} {job.name:<50.50}", end="", file=sys.stderr)
                files, found = compare(job, folders, words)
                row = table.setdefault(job.verb, [0, 0, 0, 0.0, 0.0])
                row[0] += len(job.commands)
                row[1] += files
                row[2] += len(found)
                row[3] += job.seconds[0]
                row[4] += job.seconds[1]
                differences += [(job.name, name, told) for name, told in found]
    finally:
        if not options.keep:
            shutil.rmtree(root, ignore_errors=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    differences.sort()
    for job, name, told in differences[: options.most]:
        print(f"differs  {job}/{name}: {told}")
    if len(differences) > options.most:
        print(f"… and {len(differences) - options.most} more")
    print(f"\n{'verb':<10} {'commands':>8} {'files':>7} {'differ':>7} {'old s':>8} {'new s':>8}")
    for verb, row in [*sorted(table.items()), ("all", [sum(column) for column in zip(*table.values())])]:
        print(f"{verb:<10} {row[0]:>8} {row[1]:>7} {row[2]:>7} {row[3]:>8.1f} {row[4]:>8.1f}")
    print("equal" if not differences else f"{len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
