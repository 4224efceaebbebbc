// A handler behind a real socket, every stream of it verified.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Handler } from "ackgate";
import { toNode } from "ackgate/node";
import type { ClientLine } from "./lines.ts";
import { Verifier } from "./verifier.ts";

export interface Server {
  readonly url: string;
  readonly verifier: Verifier;
  close(): Promise<void>;
}

export async function serve(line: ClientLine, handler: Handler): Promise<Server> {
  const verifier = new Verifier(line);
  const server = createServer(toNode(verifier.over(handler)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    verifier,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
