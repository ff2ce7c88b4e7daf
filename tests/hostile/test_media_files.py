"""Files made to run, to load, to hide or to fill something, in every family that we know."""

import io
import struct
import wave
import zipfile
import zlib
from pathlib import Path

import pytest
from PIL import Image

from rankme.importing import ImportRefused, read_material
from rankme.importing.limits import LIMITS
from rankme.importing.media.media_types import UnfitFile, checked_media

SECRET = b"SYSTEM-A-OF-THE-LAB"


def picture(form: str = "PNG", **options: object) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(content, form, **options)
    return content.getvalue()


def sound() -> bytes:
    content = io.BytesIO()
    with wave.open(content, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(1)
        written.setframerate(8000)
        written.writeframes(bytes(1600))
    return content.getvalue()


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png_of(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(bytes(100))
    start = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    return start + chunk(b"IDAT", data) + chunk(b"IEND", b"")


ZIP = b"PK\x03\x04" + bytes(30)
MP4 = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(64)
HTML = b"<!doctype html><script>alert(1)</script>"

# What is refused, by the name that it has.
REFUSED: list[tuple[str, bytes]] = [
    *((f"page.{ending}", HTML) for ending in ("png", "jpg", "gif", "webp", "svg", "wav", "mp4")),
    *((f"empty.{ending}", b"") for ending in ("png", "svg", "mp3", "webm")),
    *((f"film.{ending}", MP4) for ending in ("png", "mp3", "wav", "jpg", "gif")),
    *((f"sound.{ending}", sound()) for ending in ("png", "mp4", "webm", "jpeg")),
    *((f"picture.{ending}", picture()) for ending in ("wav", "mp3", "mp4", "ogg")),
    ("huge.png", png_of(100_000, 100_000)),
    ("wide.png", png_of(2**31 - 1, 1)),
    ("flat.png", png_of(40_000_001, 1)),
    ("none.png", png_of(0, 0)),
    ("bomb.gif", b"GIF89a\xff\xff\xff\xff\0\0\0" + b";"),
    ("short.png", picture()[:40]),
    ("short.jpg", picture("JPEG")[:200]),
    ("short.gif", picture("GIF")[:20]),
    ("short.webp", picture("WEBP")[:30]),
    ("short.wav", sound()[:20]),
    ("header.mp3", b"ID3\x04\0\0\0\0\0\0"),
    ("random.mp3", b"\xff\xfb" + bytes(50)),
    ("theora.ogg", b"OggS" + bytes(24) + b"\x80theora" + bytes(100)),
    ("nothing.ogg", b"OggS" + bytes(100)),
    ("nothing.flac", b"fLaC" + bytes(3)),
    ("program.png", b"\x7fELF" + bytes(100)),
    ("program.exe.png", b"MZ" + bytes(100)),
    ("paper.png", b"%PDF-1.7\n" + bytes(100)),
    ("flash.png", b"CWS\x0a" + bytes(100)),
    ("old.mov", b"\0\0\0\x14ftypqt  \0\0\0\0qt  " + bytes(64)),
    ("chain.mkv", b"\x1aE\xdf\xa3" + bytes(10) + b"\x42\x82\x88matroska" + bytes(64)),
    ("text.png", b"just a text"),
    ("entities.svg", b'<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"/>'),
    ("laughs.svg", b'<!DOCTYPE s [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>'),
    ("outside.svg", b'<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>'),
    ("plain.svg", b"<svg><script>alert(1)</script></svg>"),
    ("xhtml.svg", b'<html xmlns="http://www.w3.org/1999/xhtml"><svg/></html>'),
    ("broken.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><g></svg>'),
    ("utf16.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>'.encode("utf-16")),
]


@pytest.mark.parametrize(("name", "content"), REFUSED, ids=[name for name, _ in REFUSED])
def test_what_is_not_what_its_name_says_is_refused(name: str, content: bytes):
    with pytest.raises(UnfitFile):
        checked_media(content, name.rpartition(".")[2], LIMITS)


# What stays a picture or a sound, and loses what came with it.
CLEANED: list[tuple[str, bytes]] = [
    ("zip-behind.png", picture() + ZIP + SECRET),
    ("page-behind.png", picture() + HTML + SECRET),
    ("page-behind.jpg", picture("JPEG") + HTML + SECRET),
    ("page-behind.gif", picture("GIF") + HTML + SECRET),
    ("page-behind.webp", picture("WEBP") + HTML + SECRET),
    ("page-behind.wav", sound() + b"junk" + HTML + SECRET),
    ("comment.jpg", picture("JPEG", comment=SECRET + HTML)),
    ("comment.gif", picture("GIF", comment=SECRET + HTML)),
    ("text.png", picture()[:-12] + chunk(b"tEXt", b"Author\0" + SECRET) + picture()[-12:]),
    ("notes.wav", sound() + b"LIST" + struct.pack("<I", len(SECRET)) + SECRET),
]
for _form in ("PNG", "JPEG", "WEBP"):
    _exif = Image.Exif()
    _exif[0x010E] = SECRET.decode()
    CLEANED.append((f"exif.{_form.lower()}", picture(_form, exif=_exif)))


@pytest.mark.parametrize(("name", "content"), CLEANED, ids=[name for name, _ in CLEANED])
def test_what_comes_with_a_picture_is_cut_off(name: str, content: bytes):
    assert SECRET in content
    kept = checked_media(content, name.rpartition(".")[2], LIMITS).content
    assert SECRET not in kept and b"<script" not in kept and b"PK\x03\x04" not in kept


def svg(inner: str, attributes: str = "") -> bytes:
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"<svg {spaces} {attributes}>{inner}<rect id='shape'/></svg>".encode()


EVIL = "https://evil.example/x"
HANDLERS = (
    *("onload", "onerror", "onclick", "onmouseover", "onfocus", "onbegin", "onend", "onrepeat"),
)
SVGS = [
    *(svg("", f'{handler}="alert(1)"') for handler in HANDLERS),
    *(svg(f'<g {handler}="alert(1)"/>') for handler in HANDLERS),
    *(
        svg(f"<{tag}>alert(1)</{tag}>")
        for tag in ("script", "SCRIPT", "handler", "listener", "foreignObject", "metadata", "title")
    ),
    *(
        svg(f'<h:{tag} xmlns:h="http://www.w3.org/1999/xhtml" src="{EVIL}">x</h:{tag}>')
        for tag in ("script", "iframe", "img", "video", "object", "embed", "form", "link", "body")
    ),
    *(
        svg(f'<{tag} {link}="{address}"/>')
        for tag in ("image", "use", "a", "feImage", "script")
        for link in ("href", "xlink:href")
        for address in (
            EVIL,
            "javascript:alert(1)",
            "data:text/html,&lt;script&gt;",
            "//evil.example",
        )
    ),
    *(
        svg(f"<style>{rule}</style>")
        for rule in (
            f"@import '{EVIL}';",
            f"rect {{ fill: url({EVIL}) }}",
            f"rect {{ background: URL( '{EVIL}' ) }}",
            "rect { fill: \\75 rl(https://evil.example/x) }",
            f"@font-face {{ font-family: x; src: url({EVIL}) }}",
        )
    ),
    *(
        svg(f'<rect {name}="url({EVIL})"/>')
        for name in ("fill", "stroke", "filter", "mask", "clip-path", "style", "cursor")
    ),
    svg('<animate attributeName="href" values="javascript:alert(1)"/>'),
    svg('<set attributeName="onload" to="alert(1)"/>'),
    svg("<!-- SYSTEM-A-OF-THE-LAB -->"),
    b"<?xml-stylesheet href='https://evil.example/x.css'?>" + svg(""),
    svg('<g xmlns:i="http://www.inkscape.org/n" i:export="/home/SYSTEM-A-OF-THE-LAB.png"/>'),
    svg("<desc>SYSTEM-A-OF-THE-LAB</desc>"),
    svg("<unheard-of>alert(1)</unheard-of>"),
    svg('<g data-name="SYSTEM-A-OF-THE-LAB" unheard-of="alert(1)"/>'),
]
FORBIDDEN = (
    *(b"alert", b"evil.example", b"javascript:", b"text/html", b"<script", b"foreignobject"),
    *(b"xhtml", b"iframe", b"@import", b"\\75", b"onload", b"system-a-of-the-lab"),
)


@pytest.mark.parametrize("content", SVGS)
def test_an_svg_keeps_its_shapes_and_nothing_that_runs_or_loads(content: bytes):
    kept = checked_media(content, "svg", LIMITS).content.lower()
    assert b"shape" in kept
    assert [word for word in FORBIDDEN if word in kept] == []


NAMES = [
    *("../a.png", "../../etc/a.png", "x/../../a.png", "/etc/a.png", "..\\a.png", "x\\..\\a.png"),
    *("C:\\a.png", "a\0.png", "a\r\nSet-Cookie: x.png", "a\n.png", "a\t.png", "\u202egnp.a.png"),
    *("a\u200b.png", 'a".png', "a'.png", "a;b.png", "<img src=x onerror=alert(1)>.png"),
    *("%2e%2e.png", "a" * 300 + ".png", "é.png", "e\u0301.png", "文.png", " .png", "....png"),
    *("-rf.png", "$(id).png"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_refused_in_words_or_stays_within_the_upload(name: str, tmp_path: Path):
    table = "system\titem\toutput\toutput_file\nx\ta\tA\t" + name.replace("\0", "").split("\n")[0]
    with zipfile.ZipFile(tmp_path / "upload.zip", "w") as archive:
        archive.writestr("outputs.tsv", table + "\n")
        archive.writestr(name, picture())
    try:
        with read_material(tmp_path / "upload.zip") as material:
            (file,) = material.media()
            assert file.content.parent.name.startswith("rankme-scratch-")
            assert file.path.isprintable() and ".." not in file.path.split("/")
    except ImportRefused as refused:
        assert refused.problems and all(problem.message for problem in refused.problems)
    assert [path.name for path in tmp_path.iterdir()] == ["upload.zip"]


def upload(folder: Path, files: dict[str, bytes | str]) -> list[str]:
    with zipfile.ZipFile(folder / "upload.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    with pytest.raises(ImportRefused) as refused:
        read_material(folder / "upload.zip").close()
    return [str(problem) for problem in refused.value.problems]


TABLE = "system,item,output,output_file\nx,a,A,a.png\n"


def test_every_fault_of_an_upload_is_told_with_its_place(tmp_path: Path):
    assert upload(tmp_path, {"o.csv": TABLE}) == [
        "upload.zip/o.csv, line 2, column output_file: The file “a.png” is not in the upload."
    ]
    files = {"o.csv": TABLE, "a.png": picture(), "b.png": picture()}
    assert upload(tmp_path, files) == ["upload.zip/b.png: No row names this file."]
    files = {"o.csv": TABLE, "x/a.png": picture(), "y/a.png": picture()}
    assert "“x/a.png” and “y/a.png”: write the folder" in upload(tmp_path, files)[0]
    files = {"o.csv": TABLE.replace("a.png", "../a.png"), "a.png": picture()}
    assert "is not a path within the upload" in " ".join(upload(tmp_path, files))
    assert "no table whose rows name" in upload(tmp_path, {"a.png": picture()})[0]
    files = {"o.csv": TABLE, "a.png": picture(), "more.zip": ZIP}
    assert "Archives within archives" in " ".join(upload(tmp_path, files))
    files = {"o.csv": TABLE, "a.png": HTML}
    assert "upload.zip/a.png: By its content" in upload(tmp_path, files)[0]
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(tmp_path / "upload.zip", "w") as archive,
    ):
        for name, content in (("o.csv", TABLE), ("a.png", picture()), ("a.png", picture())):
            archive.writestr(name, content)
    with pytest.raises(ImportRefused, match="two files with the path"):
        read_material(tmp_path / "upload.zip").close()


def chain(pattern: str, length: int = 28) -> str:
    return "".join(pattern.format(n=number, before=number - 1) for number in range(1, length))


MULTIPLIED = {
    "uses": '<rect id="a0"/>' + chain('<g id="a{n}">' + '<use href="#a{before}"/>' * 3 + "</g>"),
    "uses with xlink": '<rect id="a0"/>'
    + chain('<g id="a{n}">' + '<use xlink:href=" #a{before}"/>' * 3 + "</g>"),
    "patterns": '<pattern id="a0"><rect/></pattern>'
    + chain('<pattern id="a{n}">' + "<rect fill=\"url('#a{before}')\"/>" * 3 + "</pattern>"),
    "patterns of a style sheet": '<pattern id="a0"><rect/></pattern>'
    + chain("<style>.c{n}{{fill:url(#a{before})}}</style>")
    + chain('<pattern id="a{n}">' + '<rect class="c{n}"/>' * 3 + "</pattern>"),
    "inherited patterns": '<pattern id="a0"><rect/></pattern>'
    + chain('<pattern id="a{n}"><g fill="url(#a{before})">' + "<rect/>" * 3 + "</g></pattern>"),
    "markers": '<marker id="m">'
    + "<rect/>" * 500
    + '</marker><g style="marker-mid: url(#m)"><path d="M'
    + "1 1 " * 500
    + '"/></g>',
    "filters": '<filter id="f">' + "<feOffset/>" * 20 + "</filter>" + '<g filter="url(#f)"/>' * 100,
}


@pytest.mark.parametrize("kind", MULTIPLIED)
def test_a_small_svg_that_draws_millions_is_refused(kind: str):
    content = svg(MULTIPLIED[kind])
    assert len(content) < 10_000
    with pytest.raises(UnfitFile, match="repeats its parts"):
        checked_media(content, "svg", LIMITS)


@pytest.mark.parametrize(
    "inner",
    [
        '<g id="a"><use href="#a"/></g>',
        '<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>',
        '<pattern id="a"><rect fill="url(#a)"/></pattern>',
        '<style>rect{fill:url(#a)}</style><pattern id="a"><rect/></pattern>',
    ],
)
def test_an_svg_that_contains_itself_is_refused(inner: str):
    with pytest.raises(UnfitFile, match="contains itself"):
        checked_media(svg(inner), "svg", LIMITS)


def test_a_deep_svg_is_refused():
    with pytest.raises(UnfitFile, match="nested deeper"):
        checked_media(svg("<g>" * 150_000 + "</g>" * 150_000), "svg", LIMITS)


@pytest.mark.parametrize("value", ["99999", "9e9", "1 99999"])
def test_a_filter_that_computes_for_minutes_is_refused(value: str):
    inner = f'<filter id="f"><feTurbulence numOctaves="{value}"/></filter>'
    with pytest.raises(UnfitFile, match="numoctaves"):
        checked_media(svg(inner), "svg", LIMITS)


def test_a_drawing_with_classes_clips_and_shadows_is_taken():
    """As drawing programs write them: a style sheet, gradients, clips, markers and a shadow."""
    inner = (
        "<defs><style>.cls-1{fill:url(#grad)} .cls-2{clip-path:url(#clip)} .cls-3{fill:#111}"
        " text{filter:url(#shadow)}</style>"
        '<linearGradient id="grad"><stop class="cls-3"/></linearGradient>'
        '<clipPath id="clip"><rect class="cls-3"/></clipPath>'
        '<marker id="arrow"><path d="M0 0"/></marker>'
        '<filter id="shadow"><feGaussianBlur stdDeviation="4"/><feOffset/></filter></defs>'
        '<g id="top" class="cls-2"><a href="#top"><text>a</text></a>'
        + '<path class="cls-1" marker-end="url(#arrow)"/>' * 5_000
        + "</g>"
    )
    assert b"cls-2" in checked_media(svg(inner), "svg", LIMITS).content
