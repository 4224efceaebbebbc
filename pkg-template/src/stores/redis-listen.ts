import { AckError } from "../error.js";
import type { Listen } from "./listening.js";
import type { RedisLike, RedisSubscriber } from "./redis-client.js";

/** Listens through a connection of its own. `quit` ends also one that is still being made, which may take for ever. */
export function listenTo(client: RedisLike, channel: string): { listen: Listen; quit: () => void } | undefined {
  if (typeof client.duplicate !== "function") return undefined;
  const duplicate = client.duplicate.bind(client);
  let current: RedisSubscriber | undefined;
  let over = false;
  const destroy = (subscriber: RedisSubscriber | undefined): void => {
    if (subscriber?.isOpen) subscriber.destroy();
  };
  const listen: Listen = async (heard, lost) => {
    if (over) throw new AckError("closed", "this session state was disposed");
    const subscriber = duplicate();
    current = subscriber;
    // It connects again by itself; an error that nobody hears would end the process.
    subscriber.on("error", () => undefined);
    subscriber.on("end", lost);
    let ended = false;
    const end = async (): Promise<void> => {
      ended = true;
      destroy(subscriber);
    };
    try {
      await subscriber.connect();
      await subscriber.subscribe(channel, (payload) => {
        if (!ended) heard(payload);
      });
    } catch (error) {
      await end();
      throw error;
    }
    return end;
  };
  const quit = (): void => {
    over = true;
    destroy(current);
  };
  return { listen, quit };
}
