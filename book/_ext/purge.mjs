// What is left of a style sheet without the rules and variables that nothing on the pages names. Run
// in the folder that npm filled; JSON comes in, the style sheet goes out.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { PurgeCSS } = createRequire(`${process.cwd()}/`)("purgecss");
const { css, words, variables } = JSON.parse(readFileSync(0, "utf8"));
const [purged] = await new PurgeCSS().purge({
  css: [{ raw: css }],
  content: [{ raw: words.join(" "), extension: "html" }],
  safelist: { variables },
  keyframes: true,
  variables: true,
});
process.stdout.write(purged.css);
