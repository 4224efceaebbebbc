import type { Grant, GrantQuery, GrantSource } from "../types.js";
import { same } from "./check.js";
import { CONTEXT, found, freshGrant, listed, queryOf, save } from "./grant-steps.js";
import type { Add } from "./suite.js";

/** For sources that can list and revoke. */
export function lists(add: Add<GrantSource>): void {
  add("a list has every grant of the filter, once, with the uses that are left", async (source, beside) => {
    if (!source.list) return;
    const first = freshGrant({ usesLeft: 2, content: "ls" });
    const { userId } = first;
    const second = { ...freshGrant({ userId, sessionId: "s1", server: "notes" }), id: "c2/0" };
    const third = { ...freshGrant({ userId, app: "other", toolName: "read_note" }), id: "c3/0" };
    await save(source, first, second, third, freshGrant());
    const filters: [Partial<GrantQuery>, Grant[]][] = [
      [{ userId }, [first, second, third]],
      [{ userId, app: "ack" }, [first, second]],
      [{ userId, app: "other" }, [third]],
      [{ userId, app: "ack", sessionId: "s1" }, [second]],
      [{ userId, app: "ack", sessionId: "" }, [first]],
      [{ userId, toolName: "read_note" }, [third]],
      [{ userId, app: "ack", toolName: "read_note" }, []],
      [{ userId, server: "notes" }, [second]],
      [{ userId, arguments: '{"id":"n2"}' }, [first, second, third]],
    ];
    for (const [filter, wanted] of filters) {
      same(sorted(await listed(source, filter)), sorted(wanted), JSON.stringify(filter));
    }
    if (source.consume) {
      await source.consume(first, CONTEXT);
      same(sorted(await listed(beside, { userId, app: "ack" })), sorted([{ ...first, usesLeft: 1 }, second]));
    }
    const everybody = (await listed(source, {})).filter((grant) => grant.userId === userId);
    same(sorted(everybody), sorted(await listed(source, { userId })));
  });

  add("a list may be long", async (source) => {
    if (!source.list) return;
    const grant = freshGrant();
    const all = Array.from({ length: 250 }, (_, index) => ({ ...grant, id: `c${index}/0` }));
    await Promise.all(all.map((each) => save(source, each)));
    same(sorted(await listed(source, { app: grant.app, userId: grant.userId })), sorted(all));
    same((await found(source, queryOf(grant))).length, all.length);
  });

  add("a revoked grant answers nothing, and is revoked once", async (source, beside) => {
    if (!source.revoke) return;
    const grant = freshGrant({ usesLeft: 5 });
    const kept = { ...grant, id: "c2/0" };
    await save(source, grant, kept);
    same(await source.revoke({ ...grant, userId: `${grant.userId}2` }, CONTEXT), false);
    same(await source.revoke(grant, CONTEXT), true);
    same(await beside.revoke?.(grant, CONTEXT), false);
    for (const each of [source, beside]) same(await found(each, queryOf(grant)), [kept]);
    if (source.list) same(await listed(source, { userId: grant.userId }), [kept]);
    if (source.consume) same(await source.consume(grant, CONTEXT), false);
  });
}

function sorted(grants: readonly Grant[]): Grant[] {
  return [...grants].sort((a, b) => (a.id < b.id ? -1 : 1));
}
