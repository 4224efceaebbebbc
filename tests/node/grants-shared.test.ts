// Grants that several gates share, as two processes would: through two clients of one store.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { describe, test } from "node:test";
import { createGate, type Gate, type Grant, type GrantSource, memoryGrants, memoryState } from "ackgate";
import { postgresGrants } from "ackgate/postgres";
import { redisGrants } from "ackgate/redis";
import { fakeClock } from "ackgate/testing";
import pg from "pg";
import { createClient } from "redis";

interface Shared {
  /** The same grants through two clients. */
  readonly clients: readonly [GrantSource, GrantSource];
  close(): Promise<void>;
}
const postgres = process.env.ACKGATE_TEST_PG;
const redis = process.env.ACKGATE_TEST_REDIS;
const STORES: readonly [name: string, skip: string | false, open: () => Promise<Shared>][] = [
  ["memory", false, async () => shared([memoryGrants()], async () => {})],
  ["postgres", postgres === undefined && "no postgres server", openPostgres],
  ["redis", redis === undefined && "no redis server", openRedis],
];

function shared([one, other = one]: readonly GrantSource[], close: () => Promise<void>): Shared {
  if (!one || !other) throw new Error("no client");
  return { clients: [one, other], close };
}

async function openPostgres(): Promise<Shared> {
  const schema = `grants_${randomInt(2 ** 31)}`;
  const pools = [0, 1].map(() => new pg.Pool({ connectionString: postgres, max: 2 }));
  const sources = pools.map((pool) => postgresGrants(pool, { schema }));
  return shared(sources, async () => {
    for (const pool of pools) await pool.end();
  });
}

async function openRedis(): Promise<Shared> {
  const prefix = `grants_${randomInt(2 ** 31)}`;
  const clients = await Promise.all([0, 1].map(() => createClient({ url: redis ?? "" }).connect()));
  const sources = clients.map((client) => redisGrants(client, { prefix }));
  return shared(sources, async () => {
    for (const client of clients) await client.close();
  });
}

function gateOn(grants: GrantSource, now = 1_000): Gate {
  return createGate({
    state: memoryState(),
    grants,
    user: "u1",
    tools: { bash: () => "ran", note: () => "noted" },
    policy: { version: 1, tools: { bash: { shell: true } } },
    defaultTier: "confirm",
    interactive: false,
    clock: fakeClock(now),
    logger: { warn() {}, error() {} },
  }) as unknown as Gate;
}
const grant = (extra: Partial<Grant>): Grant => ({
  id: "g1",
  app: "ack",
  userId: "u1",
  sessionId: "",
  toolName: "note",
  createdBy: "u1",
  createdAt: 1,
  ...extra,
});
const note = (gate: Gate, toolCallId: string) =>
  gate.execute({ sessionId: "s1", toolCallId, toolName: "note", arguments: "{}" });
const bash = (gate: Gate, command: string) =>
  gate.execute({ sessionId: "s1", toolCallId: command, toolName: "bash", arguments: { command } });

for (const [name, skip, open] of STORES) {
  describe(`grants on ${name}`, { skip, timeout: 60_000 }, () => {
    const using = (title: string, body: (shared: Shared) => Promise<void>): void => {
      test(title, async () => {
        const world = await open();
        try {
          await body(world);
        } finally {
          await world.close();
        }
      });
    };

    using("two calls at two gates never share the last use", async ({ clients }) => {
      for (let round = 0; round < 5; round += 1) {
        await clients[0].save(grant({ id: `g${round}`, usesLeft: 1 }), {});
        const ran = await Promise.all(clients.map((source, index) => note(gateOn(source), `c${round}${index}`)));
        assert.deepEqual(ran.map(({ denied }) => denied).sort(), [false, true]);
      }
      const left: unknown[] = [];
      for await (const each of clients[1].list?.({ userId: "u1", app: "ack" }, {}) ?? []) left.push(each.usesLeft);
      assert.deepEqual(left, [0, 0, 0, 0, 0]);
    });

    using("expired, used up and revoked ones let nothing run", async ({ clients: [one, other] }) => {
      const cases: [Partial<Grant>, boolean][] = [
        [{ expiresAt: 1_000 }, true],
        [{ expiresAt: 1_001 }, false],
        [{ usesLeft: 0 }, true],
      ];
      for (const [extra, denied] of cases) {
        const saved = grant(extra);
        await one.save(saved, {});
        assert.equal((await note(gateOn(other), "c1")).denied, denied, JSON.stringify(extra));
        assert.equal(await other.revoke?.(saved, {}), true);
        assert.equal((await note(gateOn(one), "c2")).denied, true);
      }
    });

    using(
      "one with a content covers a compound only where every part is covered",
      async ({ clients: [one, other] }) => {
        await one.save(grant({ id: "a", toolName: "bash", content: "git status:*" }), {});
        const gate = gateOn(other);
        assert.equal((await bash(gate, "git status -s")).denied, false);
        assert.equal((await bash(gate, "git status && ls -l")).denied, true);
        await one.save(grant({ id: "b", toolName: "bash", content: "ls:*" }), {});
        assert.equal((await bash(gate, "git status && ls -l")).denied, false);
        assert.equal((await bash(gate, "git status && ls -l && rm x")).denied, true);
      },
    );
  });
}
