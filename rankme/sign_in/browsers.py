"""What a browser is called, from what it says about itself."""

from __future__ import annotations

# In this order: most browsers also claim to be those further down.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrome": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}
LONGEST = 40


def browser_name(user_agent: str) -> str:
    """Return "Firefox, Linux", or the beginning of what another program says."""
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    if browser:
        return f"{browser}, {system}" if system else browser
    return user_agent[:LONGEST] or "?"
