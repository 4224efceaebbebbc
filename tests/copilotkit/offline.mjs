// Preloaded: a host that opens a connection to anywhere is ended.
import { Socket } from "node:net";

Socket.prototype.connect = (...args) => {
  console.error("the host wanted to connect to", args.flat()[0]);
  process.exit(1);
};
