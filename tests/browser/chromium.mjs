import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const settings = JSON.parse(readFileSync(new URL("../../webdriver.json", import.meta.url), "utf8"));
const { args, binary } = settings["goog:chromeOptions"];

/** The same Chromium with the same flags as for the vectors. */
export const launch = () => chromium.launch({ executablePath: binary, args });
