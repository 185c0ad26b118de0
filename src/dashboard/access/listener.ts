/** The names under which a listener is reached. A session is of one listener: each has sessions of its own. */
export interface Listener {
  /** The origin of the page under this `Host`; undefined: the name is not ours. */
  originOf(host: string): string | undefined;
  /** What to do about an unknown `Host`. */
  readonly hostRemedy: string;
}

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/** Whether the host, with its port or without, is of the machine that the browser runs on. */
export const isLocal = (host: string): boolean => LOCAL.test(host);

/** Of `--dashboard-url`, for everyone who reaches the pod. A local name is refused there whatever the peer's address: behind a sidecar each one is local. */
export function serviceListener(origin: string): Listener {
  const { host: known } = new URL(origin);
  return {
    originOf: (host) => (host === known && !isLocal(host) ? origin : undefined),
    hostRemedy: 'open the address of --dashboard-url; a port-forward has a port of its own, --dashboard-local-port',
  };
}

/** Of a port-forward, which reaches the loopback address of the pod. */
export const localListener: Listener = {
  originOf: (host) => (isLocal(host) ? `http://${host}` : undefined),
  hostRemedy: 'open http://localhost with the port that you forward',
};
