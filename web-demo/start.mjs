// `npm start`: builds what is not built yet, then serves the notes assistant.

import { join } from "node:path";
import { build } from "../pkg-template/scripts/build.mjs";
import { buildDemo, folder } from "./build.mjs";

try {
  build();
  buildDemo();
  const { serve } = await import("./dist/node/server/main.js");
  const data = process.env.NOTES_DATA || join(folder, ".data");
  await serve({ page: join(folder, "dist/page"), data }, process.env.NOTES_ADDR || "127.0.0.1:8080");
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
