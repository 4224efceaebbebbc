import { bad, checkMethods, checkType, checkWord, MODES } from "../checks.js";
import { rejectUnknown } from "../names.js";
import type { CheckOptions, PolicyOptions } from "../types.js";
import type { Environment } from "../wasm/types.js";

const HOST = ["cwd", "home", "platform", "realPath", "preapprove"] as const;
const POLICY = ["name", "strict", "tools", ...HOST];
const CHECK = ["recent", "mode", "capability", "sessionAllows", "server", ...HOST];
const CAPABILITY = ["readOnly", "alwaysAsk", "requiresUserInteraction"] as const;

/** Throws `bad_options` for what is no option of a policy. */
export function checkPolicyOptions(what: string, options: PolicyOptions): void {
  checkObject(what, options);
  rejectUnknown(what, options, POLICY);
  checkType("`name`", options.name, "string");
  checkType("`strict`", options.strict, "boolean");
  const { tools } = options;
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((name) => typeof name === "string")))
    throw bad("`tools` must be a list of names");
  checkHost(options);
}

/** Throws `bad_options` for what is no option of a check. */
export function checkCheckOptions(what: string, options: CheckOptions): void {
  checkObject(what, options);
  rejectUnknown(what, options, CHECK);
  checkWord("mode", options.mode, MODES);
  checkType("`server`", options.server, "string");
  checkMethods("sessionAllows", options.sessionAllows, ["sessionAllows"]);
  if (options.recent !== undefined && !Array.isArray(options.recent)) throw bad("`recent` must be a list of calls");
  const { capability = {} } = options;
  checkObject("`capability`", capability);
  rejectUnknown("`capability`", capability, CAPABILITY);
  for (const name of CAPABILITY) checkType(`\`capability.${name}\``, capability[name], "boolean");
  checkHost(options);
}

/** Throws `bad_options` for a directory that is not absolute: no path could be compared by it. */
export function checkDirectories({ cwd, home, platform = "posix" }: Environment): void {
  const absolute = platform === "posix" ? /^\// : /^(?:[\\/]?[a-z]:[\\/]|[\\/]{2}[^\\/])/i;
  for (const [name, path] of Object.entries({ cwd, home })) {
    if (path === undefined || path === null || absolute.test(path)) continue;
    throw bad(`\`${name}\` is \`${path}\`, it must be an absolute path of the platform \`${platform}\``);
  }
}

function checkObject(what: string, options: unknown): void {
  if (typeof options !== "object" || options === null) throw bad(`${what} takes an options object`);
}

function checkHost(options: Pick<PolicyOptions, (typeof HOST)[number]>): void {
  for (const name of ["cwd", "home"] as const) checkType(`\`${name}\``, options[name], "string");
  checkWord("platform", options.platform, ["posix", "windows"]);
  for (const name of ["realPath", "preapprove"] as const) checkType(`\`${name}\``, options[name], "function");
}
