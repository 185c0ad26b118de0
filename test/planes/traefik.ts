import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTraefik } from '../../scripts/e2e-traefik.ts';
import { freePort } from '../e2e/free-port.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { untilReady } from './until-ready.ts';

export interface TraefikProxy {
  /** URL for users; the host header chooses the route. */
  readonly url: string;
  /** Port of that URL. */
  readonly port: number;
  /** Its API, and its counters as Prometheus text. */
  readonly api: string;
  readonly metricsUrl: string;
  logTail(): string;
  stop(): Promise<void>;
}

export interface TraefikOptions {
  /** Names of services that cannot collide, which are labels of its counters; Traefik advises it for new installations. */
  safeNaming: boolean;
  /** It serves Gateways of the Gateway API as well. */
  readsGatewayApi?: true;
}

const LOOPBACK = '127.0.0.1';

/** The real Traefik on a cluster, with its provider of IngressRoutes and TraefikServices; it ends with this process. */
export async function startTraefik(kubeconfigFile: string, { safeNaming, readsGatewayApi }: TraefikOptions): Promise<TraefikProxy> {
  const program = await ensureTraefik();
  const folder = mkdtempSync(join(tmpdir(), 'serin-traefik-'));
  const [web, own] = [await freePort(), await freePort()];
  const traefik = startGuarded(
    'traefik',
    [
      program,
      `--entrypoints.web.address=${LOOPBACK}:${web}`,
      `--entrypoints.traefik.address=${LOOPBACK}:${own}`,
      `--providers.kubernetescrd.safenaming=${safeNaming}`,
      ...(readsGatewayApi ? ['--providers.kubernetesgateway=true', `--providers.kubernetesgateway.statusaddress.ip=${LOOPBACK}`] : []),
      '--api.insecure=true',
      '--api.dashboard=false',
      '--ping=true',
      '--metrics.prometheus=true',
      '--log.level=INFO',
      '--global.checknewversion=false',
      '--global.sendanonymoususage=false',
    ],
    join(folder, 'traefik.log'),
    { ...process.env, KUBECONFIG: kubeconfigFile },
  );
  const stop = async () => {
    await traefik.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const api = `http://${LOOPBACK}:${own}`;
  await untilReady({ name: 'Traefik', url: `${api}/ping`, processes: [traefik], logTail: () => traefik.logTail(), stop });
  return { url: `http://${LOOPBACK}:${web}`, port: web, api, metricsUrl: `${api}/metrics`, logTail: () => traefik.logTail(), stop };
}
