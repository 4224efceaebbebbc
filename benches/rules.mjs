// Times of rule decisions through the built package. Never asserted: a noisy machine only says so much.
import { createPolicy, createSessionAllows } from "ackgate";

const word = (index) =>
  Array.from({ length: 6 }, (_, place) => String.fromCharCode(97 + (Math.floor(index / 26 ** place) % 26))).join("");
const kinds = {
  realistic: (index) => [
    ["allow", "ask", "deny", "allow"][index % 4],
    [
      `Bash(npm run task-${index})`,
      `Bash(npm run task-${index})`,
      `Bash(git ${word(index)}-${index}:*)`,
      `Bash(git ${word(index)}-${index}:*)`,
      `Bash(docker exec * ${word(index)}-${index} *)`,
      `Read(/repo/${word(index)}/${index}/*)`,
      `mcp__${word(index)}${index}__*`,
    ][index % 7],
  ],
  "between stars": (index) => ["deny", `Bash(*${word(index * 7919)}*)`],
  "in the tail": (index) => ["deny", `Read(/repo/src/*/common/index*.${word(index).slice(0, 3)})`],
};
const calls = [
  ["Bash", { command: "git status" }],
  ["Bash", { command: "npm run task-77" }],
  ["Bash", { command: 'cd src && env A=1 cargo test | tail -5 > /tmp/out && git commit -m "$(date)"' }],
  ["Bash", { command: "docker exec db1 eaaaaa-4 now" }],
  ["Read", { path: "/repo/src/a/common/index.aaa" }],
  ["Read", { path: "/etc/passwd" }],
  ["Fetch", { url: "https://docs.test/a" }],
];

const time = (rounds, work) => {
  for (let round = 0; round < rounds / 10; round += 1) work();
  const start = performance.now();
  for (let round = 0; round < rounds; round += 1) work();
  return ((performance.now() - start) * 1000) / rounds;
};

console.log("kind, rules: compile ms | us per decision, median of 5 runs of each call");
for (const [name, rule] of Object.entries(kinds)) {
  for (const size of [10, 100, 1_000, 10_000]) {
    const document = { version: 1, deny: [], ask: [], allow: [] };
    for (let index = 0; index < size; index += 1) {
      const [list, entry] = rule(index);
      document[list].push(entry);
    }
    const start = performance.now();
    const policy = createPolicy(document);
    const compile = performance.now() - start;
    const times = calls.map(([tool, input]) => {
      const runs = Array.from({ length: 5 }, () => time(200, () => policy.check(tool, input))).sort((a, b) => a - b);
      return runs[2].toFixed(1);
    });
    console.log(`${name}, ${size}: ${compile.toFixed(1)} | ${times.join(" ")}`);
  }
}
const saved = createSessionAllows();
for (let index = 0; index < 100; index += 1) saved.allowForSession("Bash", `npm run task-${index}`);
const empty = createPolicy({ version: 1 });
const us = time(200, () => empty.check("Bash", { command: "npm run task-77" }, { sessionAllows: saved }));
console.log(`a hundred session allows: ${us.toFixed(1)} us`);
