"""The page of rgnn.explain as a browser shows it; `make check-page` installs Chromium for it."""

import html
import json
import re
import shutil
import subprocess

import pytest
from test_page import hgt, page  # noqa: F401  # fixtures

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: make check-page")

# Runs once all is laid out, and leaves what it found in the place of the page.
PROBE = """
const boxOf = e => e.getBoundingClientRect();
const scrolls = e => e !== document.body && (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
const light = text => {
  const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
addEventListener("load", () => {
  const all = [...document.body.querySelectorAll("*")].filter(e => boxOf(e).width);
  const style = getComputedStyle(document.body);
  const boxes = [...document.querySelectorAll(".plan g.box")];
  const overlap = (a, b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const found = {
    width: innerWidth,
    resources: performance.getEntriesByType("resource").map(e => e.name),
    outside: all.filter(e => boxOf(e).right > innerWidth + 1 && !scrolls(e)).map(e => e.tagName + "." + e.className),
    empty: [...document.querySelectorAll("section")].filter(e => boxOf(e).height < 20).map(e => e.id),
    dangling: [...document.querySelectorAll("nav a")].filter(e => !document.querySelector(e.getAttribute("href")))
      .map(e => e.textContent),
    background: light(style.backgroundColor),
    contrast: contrast(light(style.color), light(style.backgroundColor)),
    boxes: boxes.length,
    spilled: boxes.flatMap(g => [...g.querySelectorAll("text")].filter(
      t => boxOf(t).left < boxOf(g.querySelector("rect")).left || boxOf(t).right > boxOf(g.querySelector("rect")).right)
      .map(t => t.textContent)),
    overlapping: boxes.flatMap((a, i) => boxes.slice(i + 1)
      .filter(b => overlap(boxOf(a.querySelector("rect")), boxOf(b.querySelector("rect"))))
      .map(b => a.textContent + " | " + b.textContent)),
  };
  const answer = document.createElement("pre");
  answer.id = "found";
  answer.textContent = JSON.stringify(found);
  document.body.replaceChildren(answer);
});
"""


@pytest.fixture(scope="module")
def show(page, tmp_path_factory):  # noqa: F811
    """What the probe finds in a window of a width, in light or dark colours."""
    file = tmp_path_factory.mktemp("browser") / "explain.html"
    file.write_text(f"{page}<script>{PROBE}</script>", encoding="utf-8")

    def run(width, dark=False):
        colours = "preferredColorScheme=0" if dark else "preferredColorScheme=1"
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--enable-logging=stderr", f"--user-data-dir={file.parent / 'profile'}",
                   f"--blink-settings={colours}", f"--window-size={width},1600", "--dump-dom",
                   file.as_uri()]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert "CONSOLE" not in done.stderr, done.stderr  # an error of the page itself
        return json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)[1]))

    return run


@pytest.mark.parametrize("width", [500, 800, 1280])
def test_is_laid_out(show, width):
    """What is wider than the window scrolls by itself; boxes hold their words, and none covers another."""
    found = show(width)
    assert found["width"] == width and found["boxes"] > 20
    assert found["outside"] == found["empty"] == found["spilled"] == found["overlapping"] == []
    assert found["resources"] == found["dangling"] == []


def test_has_light_and_dark_colours(show):
    light, dark = show(1280), show(1280, dark=True)
    assert light["background"] > 0.5 > 0.1 > dark["background"]
    assert min(light["contrast"], dark["contrast"]) > 7
