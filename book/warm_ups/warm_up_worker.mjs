// Python for one warm-up, beside the page: a loop that never ends can be stopped by ending this worker.
import { loadPyodide } from "../pyodide/pyodide.mjs";

const HERE = "/warm_ups";
const name = self.name; // the page names the worker after the warm-up
const files = ["judge_values.py", "judge_code.py", "judge.py", `${name}.py`];
const silent = () => {};

async function fetched(file) {
  const response = await fetch(new URL(file, import.meta.url), { cache: "no-cache" });
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return response.text();
}

async function start() {
  const indexURL = new URL("../pyodide/", import.meta.url).href;
  const options = { indexURL, stdin: () => null, stdout: silent, stderr: silent };
  const [python, ...texts] = await Promise.all([loadPyodide(options), ...files.map(fetched)]);
  python.FS.mkdir(HERE);
  files.forEach((file, at) => python.FS.writeFile(`${HERE}/${file}`, texts[at]));
  python.runPython(`import sys; sys.path.insert(0, "${HERE}")`);
  return python.pyimport("judge");
}

try {
  const judge = await start();
  self.onmessage = ({ data }) => {
    try {
      self.postMessage({ verdict: JSON.parse(judge.answer(name, data)) });
    } catch (error) {
      self.postMessage({ crashed: String(error) }); // Python itself gave up
    }
  };
  self.postMessage({ ready: true });
} catch (error) {
  self.postMessage({ failed: String(error) });
}
