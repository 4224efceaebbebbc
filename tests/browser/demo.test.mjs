import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./chromium.mjs";
import { dataFolder, startDemo } from "./demo-host.mjs";

let browser;
let demo;
const folder = dataFolder();
before(async () => {
  browser = await launch();
  demo = await startDemo(folder);
});
after(async () => {
  await demo?.kill();
  await browser.close();
});

/** A person's window, all notes in it; what goes wrong there is collected. */
async function open(t, url = demo.url) {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
  await page.goto(url);
  await button(page, "Restore").click();
  await notes(page, ["n1", "n2", "n3", "n4"]);
  return { page, errors };
}

const say = async (page, text) => {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
};
const cardOf = (page) => page.locator(".card");
const button = (page, name) => page.getByRole("button", { name, exact: true });
const chip = (page, tool, nth = 0) => page.locator(`.call[data-tool=${tool}]`).nth(nth);
const stateOf = (page, tool, state, nth) =>
  chip(page, tool, nth)
    .and(page.locator(`[data-state="${state}"]`))
    .waitFor();
const saidLast = (page, text) => page.locator(".message.assistant").last().getByText(text).waitFor();

/** Waits until exactly these notes are on the page. */
const notes = (page, ids) =>
  page.waitForFunction(
    (wanted) => [...document.querySelectorAll("[data-note]")].map((note) => note.dataset.note).join() === wanted,
    ids.join(),
  );
/** Waits until the run is over. */
const idle = (page) => button(page, "Send").waitFor();

test("the script: one note passes, one asks, the next is remembered", async (t) => {
  const { page, errors } = await open(t);
  await page.locator("footer .tag").nth(3).waitFor();
  assert.deepEqual(await page.locator("footer .tag").allTextContents(), ["runs", "runs", "asks", "refused"]);

  await say(page, "clean up my notes");
  await cardOf(page).waitFor();
  assert.match(await cardOf(page).textContent(), /delete_note/);
  assert.deepEqual(JSON.parse(await cardOf(page).locator("pre").textContent()), { id: "n2" });
  await stateOf(page, "read_note", "done");
  await stateOf(page, "delete_note", "waits for you");
  await page.getByRole("checkbox").check();
  await button(page, "Approve").click();

  await saidLast(page, "I read n1 (“Groceries”). I deleted n2 (“Old draft”). I deleted n3");
  await idle(page);
  assert.equal(await cardOf(page).count(), 0);
  await stateOf(page, "delete_note", "done", 1);
  await notes(page, ["n1", "n4"]);

  await say(page, "wipe everything");
  await stateOf(page, "wipe_notes", "not run");
  await saidLast(page, "I'm not permitted wiping all notes.");
  await idle(page);
  await notes(page, ["n1", "n4"]);
  assert.deepEqual(errors, []);
});

test("a reload keeps the card; what is declined stays, and the summary says so", async (t) => {
  const { page, errors } = await open(t);
  await say(page, "clean up my notes");
  await cardOf(page).waitFor();
  const id = await cardOf(page).getAttribute("data-confirmation");

  await page.reload();
  await cardOf(page).waitFor();
  assert.equal(await cardOf(page).getAttribute("data-confirmation"), id);
  await button(page, "Deny").click();
  await page.locator(`.card:not([data-confirmation="${id}"])`).waitFor();
  await page.getByText("You declined deleting n2, so I left it alone. I'll go on with the rest.").waitFor();
  await button(page, "Approve").click();
  await saidLast(page, "You declined deleting n2, so I left it alone. I deleted n3");
  await idle(page);
  await notes(page, ["n1", "n2", "n4"]);
  assert.deepEqual(errors, []);
});

test("the server is killed with a card open: after its next start the answer counts and the chat goes on", async (t) => {
  const data = dataFolder();
  const first = await startDemo(data);
  t.after(first.kill);
  const { page, errors } = await open(t, first.url);
  await say(page, "clean up my notes");
  await cardOf(page).waitFor();
  const id = await cardOf(page).getAttribute("data-confirmation");
  await first.kill();
  await page.getByText("reconnecting").waitFor();

  const second = await startDemo(data, first.address);
  t.after(second.kill);
  await page.getByText("reconnecting").waitFor({ state: "detached" });
  await page.locator(".card .interrupted").waitFor();
  assert.equal(await cardOf(page).getAttribute("data-confirmation"), id);
  await page.getByRole("checkbox").check();
  await button(page, "Approve").click();
  await saidLast(page, "I read n1 (“Groceries”). I deleted n2 (“Old draft”). I deleted n3");
  await idle(page);
  await notes(page, ["n1", "n4"]);
  const unexpected = errors.filter((error) => !/net::ERR|Agent execution failed|network error|fetch/i.test(error));
  assert.deepEqual(unexpected, []);
});

test("a stop closes the card, and nothing more runs", async (t) => {
  const { page, errors } = await open(t);
  await say(page, "clean up my notes");
  await cardOf(page).waitFor();
  await button(page, "Stop").click();
  await idle(page);
  assert.equal(await cardOf(page).count(), 0);
  await notes(page, ["n1", "n2", "n3", "n4"]);

  await button(page, "New chat").click();
  await page.locator(".message").first().waitFor({ state: "detached" });
  await say(page, "which notes are there?");
  await saidLast(page, "n4 (“Birthday ideas”)");
  await idle(page);

  await say(page, "clean up my notes");
  await cardOf(page).waitFor();
  await page.reload();
  await cardOf(page).waitFor();
  await button(page, "Stop").click();
  await idle(page);
  assert.equal(await cardOf(page).count(), 0);
  await notes(page, ["n1", "n2", "n3", "n4"]);
  assert.deepEqual(errors, []);
});

test("a caller without the browser's cookie is nobody", async () => {
  const asked = [
    ["/api/notes", "GET"],
    ["/api/notes", "POST"],
    ["/agui", "POST"],
    ["/agui/history", "POST"],
    ["/agui/cancel", "POST"],
    ["/ack/confirmation", "POST"],
    ["/ack/confirmations?threadId=t", "GET"],
  ];
  for (const [path, method] of asked) {
    const headers = { "content-type": "application/json", cookie: "notes_session=guess" };
    const body = method === "POST" ? "{}" : undefined;
    const { status } = await fetch(demo.url + path, { method, headers, body });
    assert.equal(status, 401, `${method} ${path}`);
  }
  const outside = await fetch(`${demo.url}/..%2f..%2fpackage.json`);
  assert.equal(outside.status, 404);
  const { headers } = await fetch(demo.url);
  assert.match(headers.get("set-cookie"), /; HttpOnly; SameSite=Strict/);
});

test("an address or a folder in use is an error that names its variable", async () => {
  await assert.rejects(startDemo(dataFolder(), demo.address), /is in use: set NOTES_ADDR=/);
  await assert.rejects(startDemo(folder), /is open at http\S+: set NOTES_DATA=/);
});
