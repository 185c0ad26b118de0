import { createServer } from 'node:http';
import type { HookType } from '../api/canary.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { VirtualWorld } from '../embedded/virtual/virtual-world.ts';

/** One call to a receiver of webhooks or alerts. */
export interface Received {
  url: string;
  /** Webhooks of the Canary with this address; empty for an alert. */
  hooks: readonly { name: string; type: HookType }[];
  body: string;
  status: number;
}

interface Hook {
  name: string;
  type: HookType;
  metadata: Readonly<Record<string, unknown>>;
}

type FoundHook = Pick<Hook, 'name'> & Partial<Hook> & { url?: unknown };

interface StandInRules {
  /** Webhooks of the Canary by their address. */
  hooks: ReadonlyMap<string, readonly Hook[]>;
  /** Current status for webhooks of these types, `undefined` for that of a working receiver. */
  statusFor(types: readonly HookType[]): number | undefined;
  /** Status from an application of the cluster, `undefined` if no Service has this host. */
  askCluster(host: string): number | undefined;
  onCall(received: Received): void;
}

/** The address of the Prometheus in a rehearsal. */
export const PROMETHEUS_HOST = 'prometheus.rehearsal.invalid';
/** No process listens on this port. */
const CLOSED_PORT = 1;

/**
 * Receivers behind every host in the manifests. They answer 200 as working receivers do, except to a `rollback` webhook, whose 200 would mean a rollback, and
 * to a gate that is called `halt`.
 */
export async function startStandIns(
  world: VirtualWorld,
  rules: StandInRules,
  prometheus: { port: number; isUp(): boolean },
): Promise<{ stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { host = '' } = request.headers;
      const path = request.url ?? '/';
      const body = Buffer.concat(parts).toString();
      const hooks = calledOf(rules.hooks.get(addressKey(`http://${host}${path}`)) ?? [], body);
      const types = hooks.map(({ type }) => type);
      const usual = () => rules.askCluster(host.split(':')[0] ?? '') ?? usualStatus(types, path);
      const status = rules.statusFor(types) ?? usual();
      rules.onCall({ url: `${host}${path}`, hooks: hooks.map(({ name, type }) => ({ name, type })), body, status });
      response.writeHead(status, { 'content-type': 'text/plain' });
      response.end(status < 300 ? 'ok' : 'no');
    });
  });
  server.keepAliveTimeout = 0;
  const listener = await world.network.listen(server);
  world.network.nameHosts((host) => {
    if (host === PROMETHEUS_HOST) return prometheus.isUp() ? prometheus.port : CLOSED_PORT;
    return listener.port;
  });
  return { stop: () => listener.close(true) };
}

/** Host, port, path and query: `https` and `http` addresses of one receiver differ only by their port. */
function addressKey(text: string): string {
  const url = URL.parse(text);
  return url ? `${url.hostname}${url.pathname}${url.search}` : text;
}

/** Webhooks of a Canary by their address. */
export function hooksByAddress(canary: KubeObject): Map<string, Hook[]> {
  const webhooks = specOf<{ analysis: { webhooks?: FoundHook[] } }>(canary).analysis?.webhooks ?? [];
  const found = webhooks.map(({ name, type = 'rollout', url, metadata }) => ({ name, type, url, metadata: metadata ?? {} }));
  return Map.groupBy(found, ({ url }) => addressKey(String(url)));
}

/** Webhooks with one address differ in their metadata, which is part of the request body. */
function calledOf(hooks: readonly Hook[], body: string): readonly Hook[] {
  const sent = metadataIn(body);
  const same = hooks.filter(({ metadata }) => Object.entries(metadata).every(([key, value]) => sent[key] === value));
  const most = Math.max(...same.map(({ metadata }) => Object.keys(metadata).length));
  return same.length === 0 ? hooks : same.filter(({ metadata }) => Object.keys(metadata).length === most);
}

function metadataIn(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body)?.metadata ?? {};
  } catch {
    return {};
  }
}

function usualStatus(types: readonly HookType[], path: string): number {
  if (/\/gate\/halt\/?$/.test(path)) return 403;
  return types.length > 0 && types.every((type) => type === 'rollback') ? 403 : 200;
}
