// ACKGATE_TEST_SERVER_LINE: the line that the host's side uses, so what ackgate/agui imports. 1.0.0 is what is installed as it is.
import { register } from "node:module";

const wanted = process.env.ACKGATE_TEST_SERVER_LINE ?? "1.0.0";
if (wanted !== "1.0.0") register("./server-line-hooks.mjs", import.meta.url, { data: `agui-client-${wanted}` });
