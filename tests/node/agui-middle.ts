// A run that stops in the middle of everything that can be open, and what a client has to have in the end.
import assert from "node:assert/strict";
import type { HttpAgent } from "@ag-ui/client";
import { type Event, runFinished, runStarted, type Script, toolCall, toolResult } from "./agui-fakes.ts";

const content = (messageId: string, delta: string): Event => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
const args = (toolCallId: string, delta: string): Event => ({ type: "TOOL_CALL_ARGS", toolCallId, delta });
const thought = (messageId: string, delta: string): Event => ({ type: "REASONING_MESSAGE_CONTENT", messageId, delta });

export function inTheMiddle(go: Promise<void>): Script {
  return async (each, emit) => {
    emit(runStarted(each));
    emit({ type: "STEP_STARTED", stepName: "think" });
    emit({ type: "REASONING_START", messageId: "p1" });
    emit({ type: "REASONING_MESSAGE_START", messageId: "p1", role: "reasoning" });
    emit(thought("p1", "I wo"));
    emit({ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" });
    emit(content("m1", "He"));
    for (const event of toolCall("c0", "read_note", '{"id":0}', "m1")) emit(event);
    emit(content("m1", "l"));
    emit({ type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "delete_note", parentMessageId: "m1" });
    emit(args("c1", '{"i'));
    emit(args("c1", "d"));
    emit({ type: "TOOL_CALL_START", toolCallId: "c2", toolCallName: "read_note" });
    emit(args("c2", '{"id"'));
    await go;
    emit(thought("p1", "nder"));
    emit({ type: "REASONING_MESSAGE_END", messageId: "p1" });
    emit({ type: "REASONING_END", messageId: "p1" });
    emit(content("m1", "lo"));
    emit({ type: "TEXT_MESSAGE_END", messageId: "m1" });
    emit(args("c1", '":1}'));
    emit({ type: "TOOL_CALL_END", toolCallId: "c1" });
    emit(args("c2", ":2}"));
    emit({ type: "TOOL_CALL_END", toolCallId: "c2" });
    emit({ type: "STEP_FINISHED", stepName: "think" });
    emit(toolResult("c1"));
    emit({ ...runFinished(each), result: { n: 1 } });
  };
}

export function sawTheMiddle(agent: HttpAgent): void {
  const calls = agent.messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  assert.deepEqual(calls.map(({ id, function: called }) => `${id} ${called.name} ${called.arguments}`).sort(), [
    'c0 read_note {"id":0}',
    'c1 delete_note {"id":1}',
    'c2 read_note {"id":2}',
  ]);
  const texts = agent.messages.flatMap(({ id, content }) => (content ? [`${id} ${content}`] : [])).sort();
  assert.deepEqual(texts, ['m-c1 "done"', "m1 Hello", "p1 I wonder", "u1 hi"]);
}
