"""Furniture and people as SVG, drawn from attributes: our own pictures for identification tasks."""

from __future__ import annotations

from collections.abc import Mapping

COLOURS = {"red": "#c0392b", "blue": "#2c5aa0", "green": "#2e7d4f", "grey": "#7a7f87"}
FURNITURE = ("chair", "sofa", "desk", "fan")
ORIENTATIONS = ("front", "back", "left", "right")
SIZES = {"large": 1.0, "small": 0.6}
HAIR = {"dark": "#2b2320", "light": "#d9b26a", "white": "#e9e6df"}
SKIN = "#e3b48d"


def furniture(attributes: Mapping[str, str]) -> str:
    """A piece of furniture of `type`, `colour`, `size` and `orientation`."""
    fill = COLOURS[attributes["colour"]]
    side = attributes["orientation"] in ("left", "right")
    shape = _SHAPES[attributes["type"], "side" if side else attributes["orientation"]]
    scale = SIZES[attributes["size"]]
    mirror = -1 if attributes["orientation"] == "right" else 1
    move = f"translate(60 60) scale({mirror * scale} {scale}) translate(-60 -60)"
    return _picture(
        f'<g transform="{move}" fill="{fill}" stroke="#1c1c1c" stroke-width="2" '
        f'stroke-linejoin="round">{shape}</g>'
    )


def person(attributes: Mapping[str, str]) -> str:
    """A head and shoulders with `hairColour`, `hasBeard`, `hasGlasses`, `hasTie`, `hasHair`."""
    hair = HAIR[attributes["hairColour"]]
    parts = [
        '<path d="M20 120v-8q0-24 40-24t40 24v8z" fill="#3d4450"/>',
        '<path d="M48 88h24l-12 18z" fill="#f4f2ee"/>',
        f'<ellipse cx="60" cy="52" rx="26" ry="32" fill="{SKIN}"/>',
    ]
    if attributes["hasHair"] == "1":
        parts.append(f'<path d="M33 48q-2-32 27-32t27 32q-8-16-27-16t-27 16z" fill="{hair}"/>')
    parts.append('<circle cx="50" cy="50" r="3" fill="#222"/><circle cx="70" cy="50" r="3"/>')
    parts.append('<path d="M60 54l-4 10h7" fill="none" stroke="#9c6b4a" stroke-width="2"/>')
    if attributes["hasBeard"] == "1":
        parts.append(f'<path d="M36 62q2 26 24 26t24-26q-8 10-24 8t-24-8z" fill="{hair}"/>')
    parts.append('<path d="M51 74q9 5 18 0" fill="none" stroke="#7c3b30" stroke-width="3"/>')
    if attributes["hasGlasses"] == "1":
        parts.append(
            '<g fill="#cfe3ee" fill-opacity=".5" stroke="#1c1c1c" stroke-width="2.5">'
            '<circle cx="50" cy="50" r="9"/><circle cx="70" cy="50" r="9"/>'
            '<path d="M59 50h2M41 48l-7-3M79 48l7-3"/></g>'
        )
    if attributes["hasTie"] == "1":
        parts.append('<path d="M56 92h8l-2 6 5 22h-14l5-22z" fill="#8e2f3c"/>')
    return _picture("".join(parts))


def _picture(content: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 120" width="120" height="120">'
        f"{content}</svg>"
    )


_CHAIR_SIDE = (
    '<path d="M38 18h8v46h-8z"/><path d="M38 60h44v9h-44z"/>'
    '<path d="M39 69h7v36h-7zM74 69h7v36h-7z"/>'
)
_SOFA_SIDE = (
    '<path d="M28 34q12-4 16 4l4 24h40q6 0 6 6v22h-66z"/>'
    '<path d="M28 56h34q8 0 8 8v8h-42z" fill-opacity=".75"/>'
    '<path d="M32 90h8v10h-8zM82 90h8v10h-8z"/>'
)
_FAN_STAND = '<path d="M57 70h6v28h-6zM42 98h36v8h-36z"/>'
_SHAPES = {
    ("chair", "front"): (
        '<path d="M38 18h44v34h-44z"/><path d="M34 58h52v10h-52z"/>'
        '<path d="M36 68h7v38h-7zM77 68h7v38h-7z"/>'
    ),
    ("chair", "back"): (
        '<path d="M36 62h7v44h-7zM77 62h7v44h-7z"/><path d="M36 16h48v52h-48z"/>'
        '<path d="M46 26v32M60 26v32M74 26v32" fill="none"/>'
    ),
    ("chair", "side"): _CHAIR_SIDE,
    ("sofa", "front"): (
        '<path d="M18 34q0-6 6-6h72q6 0 6 6v30h-84z"/><path d="M8 52h16v40h-16zM96 52h16v40h-16z"/>'
        '<path d="M24 62h36v28h-36zM60 62h36v28h-36z"/><path d="M14 92h8v8h-8zM98 92h8v8h-8z"/>'
    ),
    ("sofa", "back"): (
        '<path d="M8 48h104v44h-104z"/><path d="M16 28h88q4 0 4 6v56h-96v-56q0-6 4-6z"/>'
        '<path d="M14 92h8v8h-8zM98 92h8v8h-8z"/>'
    ),
    ("sofa", "side"): _SOFA_SIDE,
    ("desk", "front"): (
        '<path d="M10 42h100v10h-100z"/><path d="M14 52h7v54h-7zM99 52h7v54h-7z"/>'
        '<path d="M62 52h34v40h-34z"/><path d="M62 65h34M62 78h34M76 59h6M76 72h6M76 85h6"/>'
    ),
    ("desk", "back"): '<path d="M10 42h100v10h-100z"/><path d="M16 52h88v40h-88z"/>'
    '<path d="M16 92h7v14h-7zM97 92h7v14h-7z"/>',
    ("desk", "side"): (
        '<path d="M32 42h56v10h-56z"/><path d="M36 52h48v38h-48z"/>'
        '<path d="M36 90h7v16h-7zM77 90h7v16h-7z"/><path d="M28 38h10v4h-10z"/>'
    ),
    ("fan", "front"): (
        _FAN_STAND + '<circle cx="60" cy="44" r="32" fill-opacity=".25"/>'
        '<path d="M60 44q-6-26 6-28t-6 28zM60 44q26-6 28 6t-28-6zM60 44q6 26-6 28t6-28z'
        'M60 44q-26 6-28-6t28 6z"/><circle cx="60" cy="44" r="6"/>'
    ),
    ("fan", "back"): (
        _FAN_STAND + '<circle cx="60" cy="44" r="32" fill-opacity=".25"/>'
        '<path d="M60 12v64M28 44h64M38 22l44 44M82 22l-44 44" fill="none"/>'
        '<circle cx="60" cy="44" r="15"/>'
    ),
    ("fan", "side"): (
        _FAN_STAND + '<path d="M40 14q-10 30 0 60h8v-60z" fill-opacity=".4"/>'
        '<path d="M48 34h28v20h-28z"/>'
    ),
}
