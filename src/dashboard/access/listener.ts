/** The names under which a listener is reached. A session is of one listener: each has sessions of its own. */
export interface Listener {
  /** Origin of the page under this `Host`, `undefined` for an unknown name. */
  originOf(host: string): string | undefined;
  /** Remedy for an unknown `Host`. */
  readonly hostRemedy: string;
}

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/** Tests if the host, with or without its port, is the machine that the browser runs on. */
export const isLocal = (host: string): boolean => LOCAL.test(host);

/** Listener of `--dashboard-url`, for everyone who reaches the pod. It refuses a local name from each peer: behind a sidecar every peer is local. */
export function serviceListener(origin: string): Listener {
  const { host: known } = new URL(origin);
  return {
    originOf: (host) => (host === known && !isLocal(host) ? origin : undefined),
    hostRemedy: 'open the address of --dashboard-url; a port-forward has a port of its own, --dashboard-local-port',
  };
}

/** Listener of a port-forward, which reaches the loopback address of the pod. */
export const localListener: Listener = {
  originOf: (host) => (isLocal(host) ? `http://${host}` : undefined),
  hostRemedy: 'open http://localhost with the port that you forward',
};
