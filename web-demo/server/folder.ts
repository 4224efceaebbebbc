import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Makes the data folder this server's. PGlite does not notice a second process on its files, which ruins them. */
export async function claimFolder(folder: string, url: string, cookie: string): Promise<void> {
  const file = join(folder, "address");
  const last = existsSync(file) ? readFileSync(file, "utf8") : url;
  // Only a server with this folder's token says yes; our own address is nobody else's.
  if (last !== url && (await answers(last, cookie))) {
    throw new Error(`the data folder is open at ${last}: set NOTES_DATA=folder to use another one`);
  }
  writeFileSync(file, url);
}

async function answers(url: string, cookie: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(5000);
    return (await fetch(`${url}/api/notes`, { headers: { cookie }, signal })).ok;
  } catch {
    return false;
  }
}

/** True when the folder is new. */
export function makeFolder(folder: string): boolean {
  return mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
}
