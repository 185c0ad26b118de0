import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ensureSkipper } from '../../scripts/e2e-go-tool.ts';
import { freePort } from '../e2e/free-port.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { untilReady } from './until-ready.ts';

export interface SkipperProxy {
  /** URL for users; the host header chooses the route. */
  readonly url: string;
  /** The routes that it uses, as JSON on request, and its counters as Prometheus text. */
  readonly routesUrl: string;
  readonly metricsUrl: string;
  logTail(): string;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

interface Kubeconfig {
  clusters: readonly [{ cluster: { server: string; 'certificate-authority-data': string } }];
  users: readonly [{ user: { token: string } }];
}

/** The real Skipper on a cluster, for Ingresses of class `skipper`; it ends with this process. */
export async function startSkipper(kubeconfigFile: string): Promise<SkipperProxy> {
  const program = await ensureSkipper();
  const folder = mkdtempSync(join(tmpdir(), 'serin-skipper-'));
  const [web, own] = [await freePort(), await freePort()];
  const {
    clusters: [{ cluster }],
    users: [{ user }],
  } = parse(readFileSync(kubeconfigFile, 'utf8')) as Kubeconfig;
  const [authority, token] = [join(folder, 'ca.crt'), join(folder, 'token')];
  writeFileSync(authority, Buffer.from(cluster['certificate-authority-data'], 'base64'));
  writeFileSync(token, user.token, { mode: 0o600 });
  const skipper = startGuarded(
    'skipper',
    [
      program,
      '-kubernetes',
      `-kubernetes-url=${cluster.server}`,
      `-kubernetes-token-file=${token}`,
      '-kubernetes-ingress-class=^skipper$',
      '-enable-kubernetes-endpointslices',
      // Interval at which it reads Ingresses and EndpointSlices, which it does not watch; the default of 3 s is longer than pods of these scenarios are kept.
      '-source-poll-timeout=500',
      '-wait-first-route-load',
      '-wait-for-healthcheck-interval=0s',
      `-address=${LOOPBACK}:${web}`,
      `-support-listener=${LOOPBACK}:${own}`,
      '-metrics-flavour=prometheus',
      '-serve-route-metrics',
      '-route-response-metrics',
      '-access-log-disabled',
    ],
    join(folder, 'skipper.log'),
    // Outside of a pod, it verifies the API server by the system's certificate authorities, which this file replaces.
    { ...process.env, SSL_CERT_FILE: authority },
  );
  const stop = async () => {
    await skipper.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const support = `http://${LOOPBACK}:${own}`;
  const routesUrl = `${support}/routes?limit=10000`;
  await untilReady({ name: 'Skipper', url: routesUrl, processes: [skipper], logTail: () => skipper.logTail(), stop });
  return { url: `http://${LOOPBACK}:${web}`, routesUrl, metricsUrl: `${support}/metrics`, logTail: () => skipper.logTail(), stop };
}
