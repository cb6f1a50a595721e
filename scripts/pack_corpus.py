#!/usr/bin/env python3
"""Packs golden cases, NAME.pt2 and NAME.json with torch's texts, into one small file each, or all into one.

Usage: pack_corpus.py FOLDER OUT [--keys loaded,aten,...] [--keep-weights] [--match REGEX]

The .pt2 keeps its entries, deflated; weights and constants become zeros of the same size (graphs do not depend on
them), and sample inputs become empty, unless --keep-weights says otherwise. Torch's texts become extra files of the
archive: extra/loaded, extra/core, ... (extra_files/... in the layout of torch 2.7 and older). With --values the arrays
of NAME.npz become extra/values, and weights stay.

If OUT ends in .zip it becomes one file, for many small cases that are much alike: an archive with one deflated entry,
cases.zip, which is an archive of the NAME.pt2. Nothing inside is deflated by itself, so that a case takes no more than
what tells it from those before it.
"""
import argparse
import io
import json
import pathlib
import re
import zipfile

PAYLOAD = re.compile(r".*/data/(weights/weight|constants/tensor)_\d+")
OLD_PROGRAM = "serialized_exported_program.json"
EPOCH = (1980, 1, 1, 0, 0, 0)


def add(archive, name, content, deflate=True):
    """Adds an entry without a date, so that the same case always gives the same file."""
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED if deflate and len(content) > 64 else zipfile.ZIP_STORED
    archive.writestr(entry, content, compresslevel=9)


def slim(name, content, keep_weights):
    """The content of an entry without what a graph does not need."""
    if PAYLOAD.fullmatch(name) and not keep_weights:
        return bytes(len(content))
    return b"" if name.endswith("data/sample_inputs/model.pt") else content


def arrays_of(path):
    """The arrays of a .npz, not deflated by themselves."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            add(new, name, old.read(name), deflate=False)
    return out.getvalue()


def packed(source, texts, args, deflate):
    """The bytes of the case's file."""
    out = io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(out, "w") as new:
        names = old.namelist()
        for name in names:
            content = old.read(name)
            add(new, name, content if args.keep_weights else slim(name, content, args.values), deflate)
        extra = "extra_files/" if OLD_PROGRAM in names else names[0].split("/")[0] + "/extra/"
        for key, text in texts.items():
            add(new, extra + key, text.encode(), deflate)
        if args.values:
            add(new, extra + "values", arrays_of(source.with_suffix(".npz")), deflate)
    return out.getvalue()


def write_one_file(cases, target):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        for name, content in cases:
            add(archive, name, content, deflate=False)
    with zipfile.ZipFile(target, "w") as archive:
        add(archive, "cases.zip", inner.getvalue())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--keys", default="loaded,aten,core,core_typed,core_error,signature")
    parser.add_argument("--match", default="")
    parser.add_argument("--keep-weights", action="store_true")
    parser.add_argument("--values", action="store_true", help="also the arrays of NAME.npz, as values")
    parser.add_argument("--static", action="store_true", help="also the texts of NAME.json, as bound_aten and bound_core, for NAME_dyn")
    args = parser.parse_args()
    one_file = args.out.suffix == ".zip"
    if not one_file:
        args.out.mkdir(parents=True, exist_ok=True)
    cases, before, after = [], 0, 0
    for source in sorted(args.folder.glob("*.pt2")):
        if not re.search(args.match, source.stem):
            continue
        golden = json.loads(source.with_suffix(".json").read_text())
        # "core=core_2.8" keeps the text of key core under another name.
        wanted = [(key.partition("=")[0], key.partition("=")[2] or key) for key in args.keys.split(",")]
        texts = {name: golden[key] for key, name in wanted if key in golden}
        static = source.with_name(source.stem.removesuffix("_dyn") + ".json")
        if args.static and static.exists():
            texts |= {f"bound_{key}": text for key, text in json.loads(static.read_text()).items() if key in ("aten", "core")}
        cases.append((source.name, packed(source, texts, args, deflate=not one_file)))
        before += source.stat().st_size + source.with_suffix(".json").stat().st_size
    if one_file:
        write_one_file(cases, args.out)
        after = args.out.stat().st_size
    else:
        for name, content in cases:
            (args.out / name).write_bytes(content)
            after += len(content)
    print(f"{args.out}: {len(cases)} cases, {after / 1e6:.2f} MB instead of {before / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
