import type { GrantSource } from "../types.js";
import { same } from "./check.js";
import { CONTEXT, found, freshGrant, queryOf, save } from "./grant-steps.js";
import type { Add } from "./suite.js";

/** For sources that can take a use. */
export function uses(add: Add<GrantSource>): void {
  add("uses are taken one by one until none is left", async (source) => {
    if (!source.consume) return;
    const grant = freshGrant({ usesLeft: 3 });
    await save(source, grant);
    for (const left of [2, 1, 0]) {
      same(await source.consume(grant, CONTEXT), true);
      for (const each of await found(source, queryOf(grant))) same(each.usesLeft, left, "uses left");
    }
    same(await source.consume(grant, CONTEXT), false);
    same(await source.consume(grant, CONTEXT), false);
  });

  add("the last use is never shared, between two processes either", async (source, beside) => {
    for (let round = 0; round < 5; round++) {
      const grant = freshGrant({ usesLeft: 3 });
      await save(source, grant);
      const takers = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? source : beside));
      const taken = await Promise.all(takers.map((each) => each.consume?.(grant, CONTEXT)));
      same(taken.filter((one) => one === true).length, source.consume ? 3 : 0, "uses taken");
    }
  });

  add("a use is one grant's, whatever the caller says is left", async (source) => {
    if (!source.consume) return;
    const grant = freshGrant({ usesLeft: 1 });
    const sibling = { ...grant, id: "c1/1" };
    await save(source, grant, sibling);
    same(await source.consume({ ...grant, usesLeft: 9 }, CONTEXT), true);
    same(await source.consume({ ...grant, usesLeft: 9 }, CONTEXT), false);
    same(await source.consume({ ...sibling, userId: `${grant.userId}2` }, CONTEXT), false);
    same(await source.consume(sibling, CONTEXT), true);
  });

  add("there is no use of what was never saved", async (source) => {
    if (source.consume) same(await source.consume(freshGrant({ usesLeft: 1 }), CONTEXT), false);
  });

  add("a grant that was used up does not come back when its id is saved again", async (source) => {
    if (!source.consume) return;
    const grant = freshGrant({ usesLeft: 1 });
    await save(source, grant);
    same(await source.consume(grant, CONTEXT), true);
    await save(source, grant);
    same(await source.consume(grant, CONTEXT), false);
  });
}
