// How long a decision at one instance takes to wake a run at another, over a PostgreSQL of our own. Never asserted.
import { createGate } from "ackgate";
import { postgresState } from "ackgate/postgres";
import pg from "pg";
import { ownPostgres } from "../tests/runner/services.mjs";

const ROUNDS = 200;
const WARM_UP = 20;

const server = await ownPostgres();
if (server === undefined) {
  console.log("no PostgreSQL is installed");
  process.exit();
}
const pools = [];
const pool = () => {
  const made = new pg.Pool({ connectionString: server.url, max: 4 });
  pools.push(made);
  return made;
};

async function measured(name, options, more) {
  const started = new Map();
  const tools = { note: ({ id }) => started.set(id, performance.now()) && id };
  const gates = [0, 1].map(() => {
    const state = postgresState(pool(), { schema: name, ...options });
    return { gate: createGate({ state, tools, defaultTier: "confirm", user: "u1", ...more }), state };
  });
  const [{ gate: here }, { gate: there }] = gates;
  const times = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    const call = { sessionId: "s1", toolCallId: `c${round}`, toolName: "note", arguments: { id: `n${round}` } };
    const running = here.execute(call);
    const open = async () => (await there.pending("s1")).some(({ confirmationId }) => confirmationId === `c${round}`);
    while (!(await open())) await new Promise((resolve) => setTimeout(resolve, 1));
    const decided = performance.now();
    await there.decide({ sessionId: "s1", confirmationId: `c${round}`, approved: true });
    await running;
    if (round >= WARM_UP) times.push(started.get(`n${round}`) - decided);
  }
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor((times.length - 1) * part)].toFixed(1);
  console.log(`${name}: ${times.length} decisions, ms to the tool's start: median ${at(0.5)}, 95 % ${at(0.95)}`);
  for (const { gate, state } of gates) {
    await gate.close();
    await state[Symbol.asyncDispose]();
  }
}

try {
  await measured("notify", {}, {});
  await measured("polled", { listen: false }, { pollMs: 100 });
} finally {
  for (const each of pools) await each.end();
  await server.remove();
}
