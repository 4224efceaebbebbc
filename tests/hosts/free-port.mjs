// Preloaded: whatever port a host asks for, it gets a free one of 127.0.0.1, and the test is told.
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  const ready = args.find((arg) => typeof arg === "function");
  if (ready !== undefined) this.once("listening", ready);
  this.once("listening", () => process.send({ port: this.address().port }));
  return listen.call(this, 0, "127.0.0.1");
};
