export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `host:port`; an IPv6 host in brackets. */
export function parseAddress(text: string): Address {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65535) {
    throw new Error(`NOTES_ADDR must be host:port, like 127.0.0.1:8080; it is ${JSON.stringify(text)}`);
  }
  return { host, port: Number(port) };
}

export function urlOf({ host, port }: Address): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
