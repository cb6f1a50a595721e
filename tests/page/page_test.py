#!/usr/bin/env python3
"""Opens the pages of `rung explain --html` in Chromium, uses them, and holds what stands there against the command line.

Usage: page_test.py CHROMIUM RUNG BIG_PAGE OUT      screenshots and pages are left in the folder OUT

A copy of a page gets a script at its end that types, clicks and presses keys, and leaves what it saw as JSON in the
document, which Chromium then prints (--dump-dom).
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LLAMA, NET = "examples/llama.pt2", "examples/net-2.13.pt2"
BLOCKS = 1667  # of three operators each
FIRST_RENDER_MS = 5000  # some 200 on an idle machine

WATCH = """<script>
window.seen = {errors: []};
addEventListener("error", (event) => seen.errors.push(event.message));
addEventListener("securitypolicyviolation", (event) => seen.errors.push("blocked: " + event.blockedURI));
</script>"""
HELP = """
const $$ = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const type = (words) => {
  const search = document.getElementById("search");
  search.value = words;
  search.dispatchEvent(new Event("input", {bubbles: true}));
};
const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
const shown = () => $$("#tree .operator").map((row) => row.dataset.name);
const openAll = () => {
  for (let closed; (closed = $$("#tree .module[aria-expanded=false], #tree .more")).length; )
    closed.forEach((element) => (element.matches(".more") ? element : element.firstChild).click());
};
const steps = (section) => $$(".step", section).map((step) => [
  Number(step.style.getPropertyValue("--depth")), step.querySelector(".op").textContent, step.querySelector(".type").textContent]);
const census = () => $$("#census tbody tr").map((row) => [row.dataset.op, ...$$("td.number", row).map((cell) => Number(cell.textContent.replaceAll(",", "")))]);
const colour = (element, property) => getComputedStyle(element)[property];
const colours = () => ["--page", "--raised", "--ink", "--soft", "--aten", "--core", "--prims", "--other", "--outside"].map((name) => {
  const element = document.body.appendChild(document.createElement("i"));
  element.style.color = `var(${name})`;
  const value = colour(element, "color");
  element.remove();
  return value;
});
"""


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout


class Browser:
    def __init__(self, chromium, out):
        self.chromium, self.out = chromium, out

    def start(self, page, fragment, size, *flags):
        """What Chromium prints of a page; what its console said, and any try to reach a network, is an error."""
        command = [self.chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--disable-background-networking", "--force-device-scale-factor=1", "--enable-logging=stderr",
                   f"--user-data-dir={self.out}/profile", f"--window-size={size}", *flags, f"{page.as_uri()}#{fragment}"]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        if done.returncode or console:
            raise AssertionError(f"{page}: chromium ended with {done.returncode}, its console says {console}")
        return done.stdout

    def use(self, page, script, fragment="", size="1280,900", *flags):
        """What `script` leaves in `seen` after it used the page."""
        probe = f"<script>{{{HELP}{script}}}\nconst last = document.createElement('pre');\nlast.id = 'seen';\n" \
                "last.textContent = JSON.stringify(seen);\ndocument.body.append(last);</script>"
        text = page.read_text().replace("<head>", "<head>" + WATCH, 1).replace("</body>", probe + "</body>", 1)
        copy = page.with_suffix(".probe.html")
        copy.write_text(text)
        dom = self.start(copy, fragment, size, "--dump-dom", *flags)
        found = re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S)
        if not found:
            raise AssertionError(f"{page}: the script did not come to its end")
        seen = json.loads(html.unescape(found.group(1)))
        if seen["errors"]:
            raise AssertionError(f"{page}: {seen['errors']}")
        return seen

    def widths(self, page, width, click):
        """[width of the window, width of the content] in a frame, since a headless window is at least 500 wide."""
        outer = self.out / "frame.html"
        script = f"document.querySelector({json.dumps(click)}).click();" if click else ""
        inner = page.read_text().replace("</body>", f"<script>{script}</script></body>", 1)
        outer.write_text(f"""<iframe id="frame" width="{width}" height="800" style="border: 0" srcdoc="{html.escape(inner)}"></iframe>
            <pre id="seen"></pre><script>addEventListener("load", () => {{ const inside = frame.contentWindow;
            seen.textContent = JSON.stringify([inside.innerWidth, inside.document.documentElement.scrollWidth]);
            frame.remove(); }});</script>""")
        dom = self.start(outer, "", "1280,900", "--dump-dom")
        return json.loads(re.search(r'<pre id="seen">(.*?)</pre>', dom).group(1))

    def shoot(self, page, fragment, size, name):
        target = self.out / f"{name}.png"
        target.unlink(missing_ok=True)
        self.start(page, fragment, size, f"--screenshot={target}")
        return target


def census_of(path):
    """{"aten.add.Tensor": 3} as `rung census` counts."""
    lines = run(RUNG, "census", path).splitlines()[:-1]
    return {name.removeprefix("torch.ops.").removesuffix(".default"): int(count) for count, name in (line.split() for line in lines)}


def trace_of(path, rung, *options):
    """{node: [[depth, op, type or rule]...]} as `rung explain` prints it."""
    nodes, name = {}, None
    for line in run(RUNG, "explain", path, "--to", rung, *options).splitlines():
        text, _, said = line.partition("  # ")
        indent = len(text) - len(text.lstrip())
        call = re.match(r"\s*(\S+) = ([\w.]+)\(", text)
        if call and indent == 0:
            name = call.group(1)
            nodes[name] = []
        elif indent and not text.lstrip().startswith("#"):
            nodes[name].append([indent // 2 - 1, call.group(2) if call else text.strip(), said])
    return nodes


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for name, path, rung in (("llama", LLAMA, "core"), ("net", NET, "core"), ("set", LLAMA, "executorch_xnnpack")):
            run(RUNG, "explain", path, "--to", rung, "--html", str(OUT / f"{name}.html"))
        run(BIG_PAGE, str(OUT / "big.html"), str(BLOCKS))
        cls.llama, cls.net, cls.set, cls.big = (OUT / f"{name}.html" for name in ("llama", "net", "set", "big"))

    def test_modules_hold_every_operator(self):
        seen = BROWSER.use(self.llama, """openAll(); seen.names = shown();
            seen.modules = $$("#tree .module").map((row) => [Number(row.ariaLevel), row.querySelector(".text").firstChild.textContent]);""")
        self.assertEqual(sorted(seen["names"]), sorted(trace_of(LLAMA, "core")))
        self.assertEqual(seen["modules"][:3], [[1, "model"], [2, "model"], [3, "embed_tokens"]])
        layer = seen["modules"].index([3, "layers.1"])
        self.assertEqual(seen["modules"][layer + 1:layer + 3], [[4, "input_layernorm"], [4, "self_attn"]])

    def test_search_finds_one_and_hides_the_others(self):
        seen = BROWSER.use(self.llama, """type("scaled_dot_product_attention_1"); seen.one = shown();
            seen.status = document.getElementById("status").textContent; seen.hash = location.hash;
            type("linear aten.mm"); seen.both = shown();
            type("no such thing"); seen.none = [shown(), document.getElementById("tree").textContent];
            type("is:removed"); openAll(); seen.removed = shown();
            type(""); openAll(); seen.all = shown().length;""")
        self.assertEqual(seen["one"], ["scaled_dot_product_attention_1"])
        self.assertEqual(seen["status"], f"1 of {seen['all']} operators")
        self.assertEqual(seen["hash"], "#search=scaled_dot_product_attention_1")
        self.assertTrue(seen["both"] and all(name.startswith("linear") for name in seen["both"]))
        self.assertEqual(seen["none"][0], [])
        self.assertIn("no such thing", seen["none"][1])
        self.assertEqual(seen["all"], len(trace_of(LLAMA, "core")))
        text = run(RUNG, "explain", LLAMA, "--to", "core")
        self.assertEqual(sorted(seen["removed"]), sorted(re.findall(r"^(\S+) = .* removed: ", text, re.M)))

    def test_an_operator_opens_into_the_chain_of_bodies(self):
        seen = BROWSER.use(self.llama, """seen.forms = {};
            for (const section of $$("#tree .operator[data-name=scaled_dot_product_attention] section"))
              seen.forms[section.dataset.rung] = steps(section);
            seen.text = $$("#tree .detail")[0].textContent;""", "open=scaled_dot_product_attention")
        for rung in ("core", "prims"):
            self.assertEqual(seen["forms"][rung], trace_of(LLAMA, rung)["scaled_dot_product_attention"])
        self.assertGreater(max(depth for depth, _, _ in seen["forms"]["prims"]), 3)
        self.assertIn("opened (composite) into 30 operators", seen["text"])
        self.assertIn("layers.0 › self_attn", seen["text"])

    def test_keys(self):
        seen = BROWSER.use(self.net, """press("/"); seen.search = document.activeElement.id;
            type("silu"); press("ArrowDown"); seen.row = document.activeElement.dataset.name;
            press("ArrowRight"); seen.open = $$(".detail").length; press("ArrowLeft"); seen.closed = $$(".detail").length;
            press("Enter"); seen.hash = location.hash; press("Escape"); seen.query = document.getElementById("search").value;
            $$("#tree [role=treeitem]")[0].focus(); press("ArrowDown"); press("ArrowDown"); press("ArrowUp");
            seen.moved = $$("#tree [role=treeitem]").indexOf(document.activeElement);""")
        self.assertEqual((seen["search"], seen["row"], seen["open"], seen["closed"]), ("search", "silu", 1, 0))
        self.assertEqual((seen["hash"], seen["query"], seen["moved"]), ("#search=silu&open=silu", "", 1))

    def test_census_is_that_of_the_command_line(self):
        seen = BROWSER.use(self.llama, """seen.census = census();
            $$("#census thead button")[2].click(); seen.sorted = census().map((row) => row[2]);
            $$("#census thead button")[0].click(); seen.names = census().map((row) => row[0]);
            seen.sums = $$("#census tfoot td.number").map((cell) => Number(cell.textContent));
            type("mul"); seen.found = census().map((row) => row[0]);""", "view=census")
        paths = [LLAMA]
        for rung in ("core", "prims"):
            paths.append(str(OUT / f"llama-{rung}.pt2"))
            run(RUNG, "lower", LLAMA, "--to", rung, "-o", paths[-1])
        for column, path in enumerate(paths, 1):
            counted = census_of(path)
            self.assertEqual({row[0]: row[column] for row in seen["census"] if row[column]}, counted)
            self.assertEqual(seen["sums"][column - 1], sum(counted.values()))
        self.assertEqual(seen["sorted"], sorted(seen["sorted"], reverse=True))
        self.assertNotEqual(seen["sorted"], [row[2] for row in seen["census"]])
        self.assertEqual(len(seen["names"]), len(set(seen["names"])))
        self.assertTrue(seen["found"] and all("mul" in name for name in seen["found"]))

    def test_what_a_set_refuses_is_marked(self):
        seen = BROWSER.use(self.set, """type("is:outside"); openAll();
            seen.names = shown(); $$("#tree .operator").forEach((row) => row.firstChild.click());
            seen.refusals = $$("#tree .detail .refused").map((element) => element.textContent);
            seen.rungs = $$("#columns b").map((element) => element.textContent);""")
        text = run(RUNG, "explain", LLAMA, "--to", "executorch_xnnpack")
        self.assertEqual(sorted(seen["refusals"]), sorted(re.findall(r"^\s+# (outside of .*)$", text, re.M)))
        self.assertTrue(seen["refusals"])
        self.assertEqual(seen["rungs"], ["as exported", "core", "prims", "executorch_xnnpack"])

    def test_themes_differ_and_can_be_read(self):
        read = "seen.colours = colours(); seen.body = colour(document.body, 'backgroundColor');"
        light = BROWSER.use(self.net, read, "theme=light")
        dark = BROWSER.use(self.net, read, "theme=dark")
        asked = BROWSER.use(self.net, read, "", "1280,900", "--blink-settings=preferredColorScheme=0")
        toggled = BROWSER.use(self.net, f"document.getElementById('theme').click(); {read}", "theme=light")
        self.assertNotEqual(light["body"], dark["body"])
        self.assertEqual(asked["body"], dark["body"])
        self.assertEqual(toggled["body"], dark["body"])
        for theme in (light, dark):
            page, raised, *inks = theme["colours"]
            for ink in inks:
                self.assertGreaterEqual(min(contrast(ink, page), contrast(ink, raised)), 4.5, ink)

    def test_a_narrow_window_needs_no_scrolling_aside(self):
        for click in ("", ".operator .cells", "#view-census"):
            self.assertEqual(BROWSER.widths(self.net, 400, click), [400, 400], click)

    def test_nothing_is_asked_of_a_network(self):
        seen = BROWSER.use(self.llama, "seen.asked = performance.getEntriesByType('resource').map((entry) => entry.name);")
        self.assertEqual(seen["asked"], [])
        text = self.llama.read_text()
        self.assertIn("default-src 'none'", text)  # the browser holds us to it
        self.assertIsNone(re.search(r"""\b(src|href|action)\s*=|@import|url\(""", text[:text.index('id="data"')]))

    def test_five_thousand_operators(self):
        seen = BROWSER.use(self.big, """document.body.getBoundingClientRect(); seen.first = performance.now();
            seen.elements = $$("*").length; seen.columns = document.getElementById("columns").textContent;
            let start = performance.now(); type("l"); document.body.getBoundingClientRect(); seen.searched = performance.now() - start;
            seen.status = document.getElementById("status").textContent; seen.rows = $$("#tree [role=treeitem]").length;
            type("linear_1666"); seen.last = shown();""")
        self.assertIn(f"{3 * BLOCKS:,} operators", seen["columns"])
        self.assertLess(seen["first"], FIRST_RENDER_MS)
        self.assertLess(seen["searched"], FIRST_RENDER_MS)
        self.assertLess(seen["elements"], 5000)
        self.assertEqual(seen["status"], f"{3 * BLOCKS:,} of {3 * BLOCKS:,} operators")
        self.assertEqual(seen["last"], ["linear_1666"])
        print(f"5,000 operators: first render after {seen['first']:.0f} ms, a search {seen['searched']:.0f} ms")

    def test_texts_of_a_program_are_no_markup(self):
        seen = BROWSER.use(self.big, """seen.hostile = $$("#hostile").length;
            seen.modules = $$("#tree .module .text").map((text) => text.firstChild.textContent);
            seen.notices = $$(".notice").map((notice) => notice.textContent);""", "open=silu_7")
        self.assertEqual(seen["hostile"], 0)
        self.assertIn("</script><b id=hostile>&\"'", seen["modules"])
        self.assertEqual(seen["notices"], ["mine: no path to <mine>"])

    def test_screenshots(self):
        for name, page, fragment, size in (
                ("operators-light", self.llama, "theme=light&search=silu&open=silu", "1280,900"),
                ("operators-dark", self.llama, "theme=dark", "1280,900"),
                ("set-dark", self.set, "theme=dark&search=is:outside", "1280,900"),
                ("census-light", self.llama, "theme=light&view=census", "1280,900"),
                ("census-dark", self.llama, "theme=dark&view=census", "1280,900"),
                ("narrow-light", self.llama, "theme=light&search=silu&open=silu", "400,800"),
                ("narrow-dark", self.llama, "theme=dark&view=census", "400,800"),
                ("big-light", self.big, "theme=light", "1280,900")):
            self.assertGreater(BROWSER.shoot(page, fragment, size, name).stat().st_size, 10000, name)


if __name__ == "__main__":
    CHROMIUM, RUNG, BIG_PAGE = sys.argv[1:4]
    OUT = pathlib.Path(sys.argv[4]).resolve()
    OUT.mkdir(parents=True, exist_ok=True)
    BROWSER = Browser(CHROMIUM, OUT)
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
