import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureContour } from '../../scripts/e2e-contour.ts';
import { ensureEnvoy } from '../../scripts/e2e-envoy.ts';
import { freePort } from '../e2e/free-port.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { untilReady } from './until-ready.ts';

export interface ContourProxy {
  /** URL for users; the host header chooses the route. */
  readonly url: string;
  /** Envoy's admin interface, on the listener that Contour makes for it. */
  readonly admin: string;
  /** Envoy's own counters, as Prometheus text. */
  readonly metricsUrl: string;
  logTail(): string;
  /** Requests in the access log that a user could call lost, with Envoy's flags for the reason. */
  lostRequests(): string[];
  stop(): Promise<void>;
}

export interface ContourOptions {
  kubeconfigFile: string;
  /** The Gateway that it serves. Default: none. */
  gateway?: { namespace: string; name: string };
  /** Envoy writes a line for each request, with what went wrong. */
  hasAccessLog?: true;
}

const LOOPBACK = '127.0.0.1';
/** Port of a Gateway's listener on port 80: Contour adds 8000, as its Envoy may not listen on a privileged port. */
const GATEWAY_PORT = 8080;

/** The real Contour on a cluster, and a real Envoy that it configures, without TLS between them; both end with this process. */
export async function startContour({ kubeconfigFile, gateway, hasAccessLog }: ContourOptions): Promise<ContourProxy> {
  const [contour, envoy] = [await ensureContour(), await ensureEnvoy()];
  const folder = mkdtempSync(join(tmpdir(), 'serin-contour-'));
  const [xds, own, debug, stats, admin, http] = await ports(6);
  const config = join(folder, 'contour.json');
  writeFileSync(config, JSON.stringify(configOf({ admin, gateway, hasAccessLog })));
  const server = startGuarded(
    'contour',
    [
      contour,
      'serve',
      '--insecure',
      `--config-path=${config}`,
      `--kubeconfig=${kubeconfigFile}`,
      '--disable-leader-election',
      // Many releases at a time write many statuses, which Serin waits for.
      '--kubernetes-client-qps=200',
      '--kubernetes-client-burst=400',
      `--ingress-status-address=${LOOPBACK}`,
      ...addressed('xds', xds),
      ...addressed('http', own),
      ...addressed('health', own),
      ...addressed('debug-http', debug),
      ...addressed('stats', stats),
      ...addressed('envoy-service-http', http),
      // On the wildcard address it would take the ports of pods.
      `--envoy-service-https-address=${LOOPBACK}`,
      ...['extensionservices', 'tlsroutes', 'grpcroutes', 'tcproutes', 'backendtlspolicies'].map((name) => `--disable-feature=${name}`),
    ],
    join(folder, 'contour.log'),
  );
  const bootstrap = join(folder, 'bootstrap.json');
  const socket = join(folder, 'admin.sock');
  await promisify(execFile)(contour, [
    ...['bootstrap', bootstrap, `--admin-address=${socket}`],
    ...[`--xds-address=${LOOPBACK}`, `--xds-port=${xds}`, '--xds-resource-version=v3'],
  ]);
  const proxyLog = join(folder, 'envoy.log');
  const proxy = startGuarded(
    'envoy',
    [
      envoy,
      ...['--config-path', bootstrap, '--service-cluster', 'contour', '--service-node', 'envoy'],
      ...['--concurrency', '1', '--log-level', 'warning', '--use-dynamic-base-id'],
    ],
    proxyLog,
  );
  const logTail = () => `contour: ${server.logTail()}\nenvoy: ${proxy.logTail()}`;
  const stop = async () => {
    await proxy.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const adminUrl = `http://${LOOPBACK}:${admin}`;
  await untilReady({ name: 'Contour and Envoy', url: `${adminUrl}/ready`, processes: [server, proxy], logTail, stop });
  return {
    url: `http://${LOOPBACK}:${gateway ? GATEWAY_PORT : http}`,
    admin: adminUrl,
    metricsUrl: `http://${LOOPBACK}:${stats}/stats/prometheus`,
    logTail,
    lostRequests: () => readFileSync(proxyLog, 'utf8').split('\n').filter(isLost),
    stop,
  };
}

const addressed = (what: string, port: number | undefined): string[] => [`--${what}-address=${LOOPBACK}`, `--${what}-port=${port}`];

async function ports(count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) found.push(await freePort());
  return found;
}

interface Configured {
  admin: number | undefined;
  gateway: ContourOptions['gateway'];
  hasAccessLog: ContourOptions['hasAccessLog'];
}

const configOf = ({ admin, gateway, hasAccessLog }: Configured): object => ({
  incluster: false,
  'accesslog-level': hasAccessLog ? 'info' : 'disabled',
  network: { 'admin-port': admin },
  ...(gateway && { gateway: { gatewayRef: gateway } }),
});

/** Line of Envoy's own format: `[START] "METHOD PATH PROTOCOL" CODE FLAGS RECEIVED SENT DURATION …`. */
const ACCESS = /^\[[^\]]+\] "[^"]*" (?<code>\d+) (?<flags>\S+) \d+ \d+ (?<durationMs>\d+) /;
const LATE_MS = 5_000;

function isLost(line: string): boolean {
  const { code, flags, durationMs } = ACCESS.exec(line)?.groups ?? {};
  if (code === undefined) return false;
  return Number(code) >= 500 || code === '0' || flags !== '-' || Number(durationMs) > LATE_MS;
}
