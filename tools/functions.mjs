// Print the lines of each function of the named scripts, as TypeScript reads them: one JSON list.
import { readFileSync } from "node:fs";
import ts from "typescript";

const found = [];
for (const path of process.argv.slice(2)) {
  const source = ts.createSourceFile(path, readFileSync(path, "utf-8"), ts.ScriptTarget.Latest, true);
  const lineOf = (/** @type {number} */ place) =>
    source.getLineAndCharacterOfPosition(place).line + 1;
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const named = node.name ?? (ts.isVariableDeclaration(node.parent) && node.parent.name);
      const first = lineOf(node.getStart());
      const name = named ? named.getText() : `function in line ${first}`;
      found.push({ path, name, lines: lineOf(node.end) - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
console.log(JSON.stringify(found));
