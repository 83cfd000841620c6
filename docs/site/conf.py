"""The documentation site: the pages of docs, the reference of dialects and passes, and what the package exports.

`make site` writes it to build/site. Its source is the repository itself, so that links between pages are the same there
and here.
"""

import re
from pathlib import Path

from pygments import token
from pygments.lexer import RegexLexer

ROOT = Path(__file__).resolve().parents[2]

project = "RGNN"
release = re.search(r'__version__ = "(.*)"', (ROOT / "python/rgnn/_version.py").read_text())[1]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/site/index"
include_patterns = ["*.md", "docs/*.md", "docs/gpu-results/*/*.md", "docs/site/*.md", "build/docs/*Dialect.md"]

myst_heading_anchors = 4
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_use_ivar = True
python_use_unqualified_type_names = True

highlight_language = "none"
html_theme = "furo"
html_extra_path = ["root"]  # what the folder begins with leads to the first page
html_title = f"RGNN {release}"
html_show_copyright = False


class MLIRLexer(RegexLexer):
    """Colours of MLIR's text, which Pygments does not know."""

    name = "MLIR"
    tokens = {
        "root": [
            (r"//.*?$", token.Comment.Single),
            (r'"(\\.|[^"\\])*"', token.String),
            (r"%[\w$.#:-]+", token.Name.Variable),
            (r"@[\w$.-]+", token.Name.Function),
            (r"\^[\w$.-]+", token.Name.Label),
            (r"[!#][\w$.-]+", token.Keyword.Type),
            (r"-?\b\d+(\.\d+)?([eE][+-]?\d+)?\b", token.Number),
            (r"\b(index|none|[su]?i\d+|b?f\d+|tf32|complex|tensor|memref|vector|tuple)\b", token.Keyword.Type),
            (r"\b[a-z]\w*\.[\w.]+", token.Name.Builtin),
            (r"\w+", token.Name),
            (r"\s+", token.Whitespace),
            (r".", token.Punctuation),
        ]
    }


def adapt(app, name, content):
    """A link to a folder, such as one of programs, is only its text here, as there is no page of it. The place for a
    table of contents, which TableGen writes, is not needed."""
    folder = ROOT / Path(name).parent

    def text_of(link: re.Match) -> str:
        return link[1] if (folder / link[2]).is_dir() else link[0]

    content[0] = content[0].replace("[TOC]\n", "")
    content[0] = re.sub(r"\[([^\]]*)\]\(([^)#:\s]+)\)", text_of, content[0])


def skip_fields(app, what, name, value, skip, options):
    """Fields of named tuples are among the attributes that the class describes."""
    return True if (getattr(value, "__doc__", None) or "").startswith("Alias for field number") else None


def setup(app):
    app.add_lexer("mlir", MLIRLexer)
    app.connect("source-read", adapt)
    app.connect("autodoc-skip-member", skip_fields)
