"""Scripts that go out with the modules that they import."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from evalsite.module_bundles import Bundler, UnknownForm
from evalsite.storage import ALONE, without_comments
from rankme.protocols.instruments import INSTRUMENTS

STATIC = Path(__file__).resolve().parents[2] / "static"
WORK = "js/work/work.js"
MODULES = {
    "page/work.js": """import { say } from "./say.js";
import { count } from "./count.js";

say("work", count());
""",
    "page/say.js": """let said = 0;
export const said_so_far = () => said;
export function say(word, number) {
  said += 1;
  console.log(word, number);
}
""",
    "page/count.js": """import { said_so_far } from "./say.js";
const said = 10;
export const count = () => said + said_so_far();
""",
    "tools/slider.js": """import { say } from "../page/say.js";
import { line } from "./line.js";
import { nextName } from "./names.js";
export function mount() {
  say("slider", `${line} ${nextName()}`);
}
""",
    "tools/choice.js": """import { say } from "../page/say.js";
import { nextName } from "./names.js";
export function choose() {
  say("choice", nextName());
}
""",
    "tools/names.js": """let names = 0;
export const nextName = () => (names += 1);
""",
    "tools/line.js": """import { said_so_far } from "../page/say.js";
export const line = `line ${said_so_far()}`;
""",
}


def bundler_of(**changed: str) -> Bundler:
    modules = MODULES | {name.replace("__", "/") + ".js": text for name, text in changed.items()}
    tools = [name for name in modules if name.startswith("tools/")]
    return Bundler(modules.__getitem__, "page/work.js", tools)


def test_modules_keep_their_own_names_and_share_their_state(tmp_path):
    bundler = bundler_of()
    assert bundler.guests == ["tools/slider.js", "tools/choice.js"]
    files = {
        "page/work.js": bundler.host_script(),
        **{name: bundler.guest_script(name) for name in bundler.guests},
        "start.js": 'import { mount } from "./tools/slider.js";\n'
        'import { choose } from "./tools/choice.js";\nmount();\nchoose();\nmount();\n',
        "package.json": json.dumps({"type": "module"}),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    node = shutil.which("node")
    if not node:
        pytest.skip("There is no Node here: the bundle was not run.")
    said = subprocess.run([node, tmp_path / "start.js"], capture_output=True, text=True, check=True)
    # There is one module `say` and one counter of names, for all scripts.
    assert said.stdout.splitlines() == ["work 10", "slider line 1 1", "choice 2", "slider line 1 3"]


def test_what_a_bundle_cannot_contain_is_an_error():
    with pytest.raises(UnknownForm, match=r"page/say.js: export default"):
        bundler_of(page__say="export default 1;\n").host_script()
    with pytest.raises(UnknownForm, match=r"page/count.js: import \* as all"):
        bundler_of(page__count='import * as all from "./say.js";\n').host_script()
    circle = 'import { count } from "./count.js";\nexport const say = count;\n'
    with pytest.raises(UnknownForm, match="a circle of imports"):
        bundler_of(page__say=circle)


def test_the_scripts_of_the_work_page_import_nothing_but_the_work_page():
    scripts = [f"js/instruments/{path.name}" for path in (STATIC / "js/instruments").iterdir()]
    read = lambda name: without_comments((STATIC / name).read_text())  # noqa: E731
    bundler = Bundler(read, WORK, sorted(scripts))
    # No instrument is part of another one: it would be there twice.
    assert {f"js/instruments/{name}.js" for name in INSTRUMENTS} <= set(bundler.guests)
    host = bundler.host_script()
    assert "\nimport " not in host and not host.startswith("import ")
    for name in bundler.guests:
        lines = bundler.guest_script(name).splitlines()
        imports = [line for line in lines if line.startswith("import ")]
        assert set(imports) <= {'import * as host from "../work/work.js";'}


@pytest.mark.parametrize("name", ALONE)
def test_scripts_of_one_page_go_out_with_all_that_they_import(name):
    """Each import that stays would be fetched only after the script itself has come."""
    script = Bundler(lambda each: (STATIC / each).read_text(), name, []).host_script()
    assert "\nimport " not in script and not script.startswith("import ")
    assert (STATIC / name).read_text().count("\nimport ") > 0
