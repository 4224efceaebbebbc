// The instrument itself: a fault in a stream is found for every line.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { Handler } from "ackgate";
import { LINES } from "./lines.ts";
import { serve } from "./server.ts";

// Clients print what they throw.
mock.method(console, "error", () => {});

const started = { type: "RUN_STARTED", threadId: "t1", runId: "r1" };
const finished = { type: "RUN_FINISHED", threadId: "t1", runId: "r1" };
const content = { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "half" };

function sending(...events: object[]): Handler {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const handler = async () => new Response(text, { headers: { "content-type": "text/event-stream" } });
  return Object.assign(handler, { matches: () => true });
}

const FAULTS = [
  {
    what: "CONTENT without START",
    events: [started, content, finished],
    fault: /after `RUN_STARTED`: .*TEXT_MESSAGE_CONTENT/,
  },
  {
    what: "an event after the end",
    events: [started, finished, { type: "CUSTOM", name: "late", value: 1 }],
    fault: /after `RUN_FINISHED`: .*CUSTOM/,
  },
  {
    what: "a call that is still open at the end",
    events: [started, { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "n" }, finished],
    fault: /after `TOOL_CALL_START`: .*RUN_FINISHED/,
  },
  { what: "an event nobody knows", events: [started, { type: "OWN_EVENT" }, finished], fault: /OWN_EVENT|[Ii]nvalid/ },
];

for (const line of LINES) {
  for (const { what, events, fault } of FAULTS) {
    test(`${line.name}: ${what} is a fault`, async () => {
      const { url, verifier, close } = await serve(line, sending(...events));
      const ended = await new line.HttpAgent({ url }).runAgent({}).catch((error: Error) => error);
      await close();
      assert.equal(verifier.faults.length, 1, verifier.faults.join("\n"));
      assert.match(verifier.faults[0] ?? "", fault);
      // The later line drops what it does not know and goes on.
      const goesOn = line.declares && what === "an event nobody knows";
      assert.equal(ended instanceof Error, !goesOn);
      assert.throws(() => verifier.assertClean());
    });
  }

  test(`${line.name}: a stream that just ends is a fault, although the client takes it`, async () => {
    const { url, verifier, close } = await serve(line, sending(started));
    await new line.HttpAgent({ url }).runAgent({});
    await close();
    assert.match(verifier.faults.join(), /after `RUN_STARTED`: the stream ends without/);
  });

  test(`${line.name}: a right stream has no fault`, async () => {
    const { url, verifier, close } = await serve(line, sending(started, finished));
    await new line.HttpAgent({ url }).runAgent({});
    await close();
    verifier.assertClean();
  });
}
