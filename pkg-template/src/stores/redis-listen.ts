import { AckError } from "../error.js";
import type { Listen } from "./listening.js";
import type { RedisLike, RedisSubscriber } from "./redis-client.js";

/** Listens through a connection of its own. `quit` ends also one that is still being made, which may take for ever. */
export function listenTo(client: RedisLike, channel: string): { listen: Listen; quit: () => void } | undefined {
  if (typeof client.duplicate !== "function") return undefined;
  const duplicate = client.duplicate.bind(client);
  const closed = new AckError("closed", "this session state was disposed");
  let over = false;
  let giveUp = (): void => {};
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = () => reject(closed);
  });
  givenUp.catch(() => undefined);
  const listen: Listen = async (heard, lost) => {
    if (over) throw closed;
    const subscriber = duplicate();
    const line = lineOf(subscriber);
    subscriber.on("end", lost);
    let ended = false;
    const end = async (): Promise<void> => {
      ended = true;
      line.destroy();
    };
    const open = async (): Promise<void> => {
      await subscriber.connect();
      line.ready();
      await subscriber.subscribe(channel, (payload) => {
        if (!ended) heard(payload);
      });
    };
    try {
      await Promise.race([open(), givenUp]);
    } catch (error) {
      await end();
      throw error;
    }
    return end;
  };
  const quit = (): void => {
    over = true;
    giveUp();
  };
  return { listen, quit };
}

/**
 * Ends a connection now or, while it is being made, as soon as it is there or has failed. INVARIANT: not before: the
 * client would leave it open, and its own promises unanswered.
 */
function lineOf(subscriber: RedisSubscriber): { ready: () => void; destroy: () => void } {
  let made = false;
  let over = false;
  const end = (): void => {
    if (over && subscriber.isOpen) subscriber.destroy();
  };
  const ready = (): void => {
    made = true;
    end();
  };
  subscriber.on("ready", ready);
  subscriber.on("reconnecting", () => {
    made = false;
  });
  // It connects again by itself; an error that nobody hears would end the process.
  subscriber.on("error", end);
  const destroy = (): void => {
    over = true;
    if (made) end();
  };
  return { ready, destroy };
}
