import type { GrantSource } from "../types.js";
import { check, same } from "./check.js";
import { found, freshGrant, idsFor, queryOf, save } from "./grant-steps.js";
import type { Add } from "./suite.js";

export function lookups(add: Add<GrantSource>): void {
  add("what was saved is found with every field, from every process", async (source, beside) => {
    const full = freshGrant({
      sessionId: "s1",
      server: "notes",
      content: "git status:*",
      argumentsDigest: "ab".repeat(32),
      expiresAt: 4_000_000_000_000,
      usesLeft: 3,
    });
    same(await found(source, queryOf(full)), []);
    await save(source, full);
    for (const each of [source, beside]) same(await found(each, queryOf(full, { server: "notes" })), [full]);
    const plain = freshGrant();
    await save(source, plain);
    for (const each of [source, beside]) same(await found(each, queryOf(plain)), [plain]);
  });

  add("a session's grants come before global ones, whichever was saved first", async (source) => {
    const grant = freshGrant();
    for (const [index, sessionId] of ["", "s1", "", "s1", "s2"].entries()) {
      await save(source, { ...grant, id: `c${index}/0`, sessionId });
    }
    const ids = await idsFor(source, queryOf(grant));
    same(
      [ids.slice(0, 2).sort(), ids.slice(2).sort()],
      [
        ["c1/0", "c3/0"],
        ["c0/0", "c2/0"],
      ],
    );
    same((await idsFor(source, queryOf(grant, { sessionId: "s3" }))).sort(), ["c0/0", "c2/0"]);
  });

  add("another app's, user's or tool's grant is not found", async (source) => {
    const grant = freshGrant({ sessionId: "s1" });
    await save(source, grant);
    same(await idsFor(source, queryOf(grant)), [grant.id]);
    for (const other of [
      { app: "other" },
      { userId: `${grant.userId}2` },
      { toolName: "read_note" },
      { sessionId: "" },
    ]) {
      same(await idsFor(source, queryOf(grant, other)), [], JSON.stringify(other));
    }
  });

  add("saving an id again changes nothing, in one process or two", async (source, beside) => {
    const grant = freshGrant({ usesLeft: 2 });
    await save(source, grant);
    await save(beside, { ...grant, usesLeft: 9, toolName: "read_note" }, { ...grant, sessionId: "s1" });
    same(await found(source, queryOf(grant)), [grant]);
    same(await idsFor(source, queryOf(grant, { toolName: "read_note" })), []);
    const at = { ...grant, id: "c2/0" };
    await Promise.all(Array.from({ length: 8 }, (_, index) => save(index % 2 === 0 ? source : beside, at)));
    same((await idsFor(source, queryOf(grant))).sort(), ["c1/0", "c2/0"]);
  });

  add("an id is one app's and one user's", async (source) => {
    const grant = freshGrant();
    const others = [grant, { ...grant, app: "other" }, { ...grant, userId: `${grant.userId}2` }];
    await save(source, ...others);
    for (const each of others) same(await found(source, queryOf(each)), [each]);
  });

  add("names are apart, whatever is in them", async (source) => {
    const { userId } = freshGrant();
    const names = [
      "",
      "a",
      " ",
      '"',
      '","',
      "'",
      "\\",
      ":",
      "/",
      "}",
      "*",
      "%",
      "ä",
      "🙂",
      "\0",
      "\u0001",
      "\ud800",
      "\ufffd",
    ];
    const all = names.flatMap((name) => [
      freshGrant({ userId: userId + name, id: "user" }),
      freshGrant({ userId, app: `ack${name}1`, id: "app" }),
      freshGrant({ userId, toolName: `tool${name}`, id: `tool${name}` }),
      freshGrant({ userId, sessionId: `s${name}`, toolName: "in a session", id: `session${name}` }),
    ]);
    await save(source, ...all);
    for (const grant of all) same(await found(source, queryOf(grant, { sessionId: grant.sessionId })), [grant]);
  });

  add("a caller's own copy is its own", async (source) => {
    const grant = freshGrant({ usesLeft: 1 });
    await save(source, grant);
    const [copy] = await found(source, queryOf(grant));
    check(copy, "the grant is not there");
    copy.toolName = "changed";
    copy.usesLeft = 9;
    same(await found(source, queryOf(grant)), [grant]);
  });
}
