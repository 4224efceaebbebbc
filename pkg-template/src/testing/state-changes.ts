import type { SessionState } from "../types.js";
import { check, same, until } from "./check.js";
import { ageOf, freshSession, written } from "./state-steps.js";
import type { Add } from "./suite.js";

export function ages(add: Add<SessionState>): void {
  add("a record's age is a whole number of ms that grows, and starts again with each write", async (state, beside) => {
    const session = freshSession();
    const first = await written(state, session, "c:1", "a");
    await until("a record grows older", async () => (await ageOf(state, session)) >= 40);
    await written(state, session, "c:2", "of another id");
    check((await ageOf(state, session)) >= 40, "another record's write made it young");
    // The store's clock: a process that did not write sees the same age.
    check((await ageOf(beside, session)) >= 40, "another process sees it younger");
    const before = performance.now();
    await written(state, session, "c:1", "b", first);
    const age = await ageOf(state, session);
    check(age <= Math.ceil(performance.now() - before) + 5, `${age} ms old just after the write`);
    await until("a record grows older", async () => (await ageOf(state, session)) > age);
  });
}

/** For stores that can be subscribed to. */
export function subscriptions(add: Add<SessionState>): void {
  add("a subscriber hears each write of its session until it leaves", async (state, beside) => {
    if (!state.subscribe) return;
    const session = freshSession();
    const id = "c:1 ä \"' \0";
    const heard: string[] = [];
    const other: string[] = [];
    const leave = await state.subscribe(session, (each) => heard.push(each));
    const leaveOther = await state.subscribe(session, (each) => other.push(each));
    await written(beside, freshSession(), "c:elsewhere", "a");
    const version = await written(beside, session, id, "a");
    await until("a subscriber hears a write", () => heard.length === 1 && other.length === 1);
    await written(state, session, id, null, version);
    await until("a subscriber hears a write", () => heard.length === 2 && other.length === 2);
    same(await state.write(session, "c:gone", "x", version), { conflict: true });
    leave();
    await written(beside, session, "c:2", "a");
    await until("a subscriber hears a write", () => other.length === 3);
    same(heard, [id, id]);
    same(other.slice(2), ["c:2"]);
    leaveOther();
  });

  add("who subscribes again, also while another leaves, hears again", async (state) => {
    if (!state.subscribe) return;
    const session = freshSession();
    for (let round = 0; round < 3; round++) {
      const first = await state.subscribe(session, () => {});
      first();
      const heard: string[] = [];
      const leave = await state.subscribe(session, (id) => heard.push(id));
      await written(state, session, `c:${round}`, "a");
      await until("a subscriber hears a write", () => heard.length > 0);
      same(heard, [`c:${round}`]);
      leave();
    }
  });
}
