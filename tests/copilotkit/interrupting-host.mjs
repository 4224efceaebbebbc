// CopilotKit's runtime over an agent in mode `interrupt` or `auto` (MODE). `GET /log` says what was really done.
import { createServer } from "node:http";
import { AbstractAgent } from "@ag-ui/client";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import { createGate, memoryState } from "ackgate";
import { wrapAgent } from "ackgate/agui";
import { toNode } from "ackgate/node";
import { Observable } from "rxjs";

const { MODE: mode } = process.env;
const log = { executed: [], given: [], faults: [] };
const gate = createGate({
  state: memoryState(),
  user: "ann",
  tools: {
    delete_note({ id }) {
      log.executed.push(id);
      return { deleted: id };
    },
  },
  defaultTier: "confirm",
  logger: { warn() {}, error: (message, fields) => log.faults.push([message, fields]) },
});

/** Deletes two notes of its thread at once, and says so. */
class NotesAgent extends AbstractAgent {
  clone() {
    return new NotesAgent();
  }

  run(input) {
    return new Observable((subscriber) => {
      this.#turn(input, (event) => subscriber.next(event)).then(
        () => subscriber.complete(),
        (error) => subscriber.error(error),
      );
    });
  }

  async #turn({ threadId, runId, messages }, send) {
    send({ type: "RUN_STARTED", threadId, runId });
    const results = messages.flatMap(({ role, toolCallId, content }) =>
      role === "tool" ? [[toolCallId, content]] : [],
    );
    const shown = messages.flatMap(({ toolCalls }) => toolCalls ?? []).map(({ id }) => id);
    const due = [`${threadId}-1`, `${threadId}-2`].filter((id) => !results.some(([answered]) => answered === id));
    for (const toolCallId of due.filter((id) => !shown.includes(id))) {
      send({ type: "TOOL_CALL_START", toolCallId, toolCallName: "delete_note" });
      send({ type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify({ id: toolCallId }) });
      send({ type: "TOOL_CALL_END", toolCallId });
    }
    const calls = due.map(async (toolCallId) => {
      const { content } = await gate.execute({ toolCallId, toolName: "delete_note", arguments: { id: toolCallId } });
      send({ type: "TOOL_CALL_RESULT", messageId: `result-${toolCallId}`, toolCallId, content });
    });
    await Promise.all(calls);
    log.given.push({ threadId, results });
    const messageId = crypto.randomUUID();
    send({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    send({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: "Done." });
    send({ type: "TEXT_MESSAGE_END", messageId });
    send({ type: "RUN_FINISHED", threadId, runId });
  }
}

const style = { mode, ...(mode === "auto" && { liveWindowMs: 50 }) };
const context = () => ({ user: "ann" });
const wrapped = () => wrapAgent(new NotesAgent(), gate, { ...style, context });
wrapped();
const copilot = createCopilotNodeListener({
  runtime: new CopilotRuntime({ agents: () => ({ notes: wrapped() }) }),
  basePath: "/api/copilotkit",
});
const decisions = toNode(gate.handler({ identify: () => ({ user: "ann" }), base: "/api/ack" }));
createServer((request, response) => {
  if (request.url === "/log") return response.end(JSON.stringify(log));
  decisions(request, response, () => copilot(request, response));
}).listen(8080);
process.send({ sessions: { ann: "" } });
