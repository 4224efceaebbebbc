import type { SessionKey, SessionState } from "../types.js";
import { same } from "./check.js";
import { freshSession, idsOf, stateOf, written } from "./state-steps.js";
import type { Add } from "./suite.js";

/** Writers at the same time, in one process and in two. */
export function races(add: Add<SessionState>): void {
  add("a read that starts after an acknowledged write sees it, from every process", async (state, beside) => {
    const session = freshSession();
    let version: string | undefined;
    for (let round = 0; round < 20; round++) {
      const writer = round % 2 === 0 ? state : beside;
      version = await written(writer, session, "c:1", String(round), version);
      const reads = [state, beside].flatMap((each) => [
        each.read(session, "c:1").then((found) => found?.record),
        each.list(session, "confirmation").then(([found]) => found?.record),
      ]);
      same(await Promise.all(reads), Array(4).fill(String(round)));
    }
  });

  add("of writers that start from the same version exactly one wins", async (state, beside) => {
    const session = freshSession();
    const race = (version: string | undefined, record: (writer: number) => string | null) =>
      Promise.all(
        Array.from({ length: 8 }, (_, writer) =>
          (writer % 2 === 0 ? state : beside).write(session, "c:1", record(writer), version),
        ),
      );
    let version: string | undefined;
    for (let round = 0; round < 5; round++) {
      const outcomes = await race(version, (writer) => `${round} ${writer}`);
      const winners = outcomes.flatMap((outcome, writer) => ("version" in outcome ? [{ outcome, writer }] : []));
      same(winners.length, 1, "winners");
      version = winners[0]?.outcome.version;
      same(await stateOf(state, session, "c:1"), [`${round} ${winners[0]?.writer}`, version]);
    }
    const deletions = await race(version, () => null);
    same(deletions.filter((outcome) => "version" in outcome).length, 1, "winners");
    same(await state.read(session, "c:1"), undefined);
  });

  add("sixty calls of one session at once leave sixty records", async (state, beside) => {
    const session = freshSession();
    const ids = Array.from({ length: 60 }, (_, index) => `c:${index + 100}`);
    await Promise.all(ids.map((id, index) => written(index % 2 === 0 ? state : beside, session, id, id)));
    same(await idsOf(beside, session), ids);
    same(
      (await state.list(session, "confirmation")).map(({ record }) => record),
      ids,
    );
  });

  add("no change is lost: who meets a conflict reads and writes again", async (state, beside) => {
    const session = freshSession();
    await written(state, session, "c:1", "0");
    await Promise.all(Array.from({ length: 12 }, (_, index) => increment(index % 2 === 0 ? state : beside, session)));
    same((await stateOf(state, session, "c:1"))[0], "12");
  });
}

async function increment(state: SessionState, session: SessionKey): Promise<void> {
  for (;;) {
    const found = await state.read(session, "c:1");
    const outcome = await state.write(session, "c:1", String(Number(found?.record) + 1), found?.version);
    if ("version" in outcome) return;
  }
}
