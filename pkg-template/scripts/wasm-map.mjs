// What takes the room in a module that still has its name section: code and data bytes by crate and module.

const SECTIONS = { code: 10, data: 11 };
const FUNCTION_NAMES = 1;
/** What `numbered` of function-order.mjs puts before a name. */
const NUMBERED = /^\d{5} /;

function reader(bytes, start, end) {
  let at = start;
  const number = () => {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      result += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return result;
    }
  };
  const text = () => {
    const length = number();
    at += length;
    return bytes.toString("utf8", at - length, at);
  };
  const skip = (length) => {
    at += length;
    return at;
  };
  return { number, text, skip, at: () => at, more: () => at < end };
}

/** Every section as `{ id, name, start, end }`; a custom one's name is read, its start is behind it. */
function sections(bytes) {
  const found = [];
  const outer = reader(bytes, 8, bytes.length);
  while (outer.more()) {
    const begin = outer.at();
    const id = bytes[begin];
    outer.skip(1);
    const length = outer.number();
    const start = outer.at();
    const end = outer.skip(length);
    const inner = reader(bytes, start, end);
    const name = id === 0 ? inner.text() : "";
    found.push({ id, name, outer: begin, start: inner.at(), end, length });
  }
  return found;
}

function importedFunctions(bytes, section) {
  if (section === undefined) return 0;
  const inner = reader(bytes, section.start, section.end);
  let functions = 0;
  for (let left = inner.number(); left > 0; left--) {
    inner.text();
    inner.text();
    const kind = inner.number();
    if (kind !== 0) throw new Error("the module imports something that is no function");
    inner.number();
    functions++;
  }
  return functions;
}

function functionNames(bytes, section) {
  const names = new Map();
  const outer = reader(bytes, section.start, section.end);
  while (outer.more()) {
    const kind = outer.number();
    const length = outer.number();
    const start = outer.at();
    const end = outer.skip(length);
    if (kind !== FUNCTION_NAMES) continue;
    const inner = reader(bytes, start, end);
    for (let left = inner.number(); left > 0; left--) names.set(inner.number(), inner.text());
  }
  return names;
}

/** The functions of a module as `{ name, bytes, body }`, and the bytes of its sections `code` and `data`. */
export function functions(bytes) {
  const all = sections(bytes);
  const byId = (id) => all.find((section) => section.id === id);
  const names = all.find((section) => section.name === "name");
  if (names === undefined) throw new Error("the module has no name section");
  const known = functionNames(bytes, names);
  const first = importedFunctions(bytes, byId(2));
  const code = byId(SECTIONS.code);
  const inner = reader(bytes, code.start, code.end);
  const list = Array.from({ length: inner.number() }, (_, index) => {
    const size = inner.number();
    const body = bytes.subarray(inner.at(), inner.skip(size));
    const name = (known.get(first + index) ?? `function ${first + index}`).replace(NUMBERED, "");
    return { name, bytes: size, body };
  });
  return { list, code: code.length, data: byId(SECTIONS.data)?.length ?? 0 };
}

function leb(number) {
  const bytes = [];
  let rest = number;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const withLength = (bytes) => Buffer.concat([leb(bytes.length), bytes]);

/** The module with other names for its functions. */
export function withFunctionNames(bytes, names) {
  const all = sections(bytes);
  const first = importedFunctions(
    bytes,
    all.find(({ id }) => id === 2),
  );
  const entries = names.flatMap((name, index) => [leb(first + index), withLength(Buffer.from(name))]);
  const list = Buffer.concat([leb(names.length), ...entries]);
  const section = Buffer.concat([withLength(Buffer.from("name")), Buffer.from([FUNCTION_NAMES]), withLength(list)]);
  const kept = all.filter(({ name }) => name !== "name").map(({ outer, end }) => bytes.subarray(outer, end));
  return Buffer.concat([bytes.subarray(0, 8), ...kept, Buffer.from([0]), withLength(section)]);
}

const ROOTS = /\b(ackgate|[a-z_][a-z0-9_]*)(?:::[A-Za-z_]\w*)+/g;

/** The crate and module a function's name belongs to: the first path in it, two words of it; `of`: for our types. */
export function part(name) {
  const plain = name.replace(/\[[0-9a-f]+\]/g, "");
  const paths = plain.match(ROOTS) ?? [];
  const [own] = paths;
  if (own === undefined) return "other";
  const words = own.split("::").filter((word) => /^[a-z]/.test(word));
  return words.slice(0, 2).join("::");
}

/** Bytes of code by part, biggest first. */
export function byPart(list) {
  const sums = new Map();
  for (const { name, bytes } of list) sums.set(part(name), (sums.get(part(name)) ?? 0) + bytes);
  return [...sums].sort((a, b) => b[1] - a[1]);
}
