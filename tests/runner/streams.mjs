import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CLIENTS = /^agui-client-|^@ag-ui\/client$/;

/** Runs the AG-UI tests and shows how many streams each client line verified; a line without any is a failure. */
export async function withStreams(folder, work) {
  const temporary = mkdtempSync(join(tmpdir(), "ackgate-streams-"));
  const file = join(temporary, "streams.jsonl");
  try {
    const total = await work({ ACKGATE_TEST_STREAMS: file });
    const written = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    const lines = new Map();
    for (const { line, streams, events } of written.map((each) => JSON.parse(each))) {
      const before = lines.get(line) ?? { streams: 0, events: 0 };
      lines.set(line, { streams: before.streams + streams, events: before.events + events });
    }
    for (const [line, { streams, events }] of lines) {
      console.log(`client ${line}: ${streams} streams with ${events} events verified`);
    }
    const { devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const wanted = Object.keys(devDependencies).filter((name) => CLIENTS.test(name)).length;
    const verified = [...lines.values()].filter(({ streams }) => streams > 0).length;
    if (verified === wanted) return total;
    console.error(`${verified} of ${wanted} client lines verified a stream`);
    return { ...total, failed: total.failed + 1 };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
