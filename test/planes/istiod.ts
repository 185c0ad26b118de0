import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureIstiod } from '../../scripts/e2e-go-tool.ts';
import { freePort } from '../e2e/free-port.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { untilReady } from './until-ready.ts';

export interface Istiod {
  /** Port of xDS without TLS, on loopback. */
  readonly xdsPort: number;
  logTail(): string;
  stop(): Promise<void>;
}

/** Plain HTTP between proxies and pods: there are no sidecars beside the pods, and no certificates. */
const MESH = {
  defaultConfig: { discoveryAddress: '127.0.0.1:15010' },
  enableAutoMtls: false,
  accessLogFile: '',
};

/** The real istiod on a cluster, which ends with this process. With `readsGatewayApi` it also reads HTTPRoutes. */
export async function startIstiod(kubeconfigFile: string, { readsGatewayApi = false } = {}): Promise<Istiod> {
  const program = await ensureIstiod();
  const folder = mkdtempSync(join(tmpdir(), 'serin-istiod-'));
  const [httpPort, xdsPort, monitoringPort] = [await freePort(), await freePort(), await freePort()];
  const meshConfig = join(folder, 'mesh.json');
  writeFileSync(meshConfig, JSON.stringify(MESH));
  const env = {
    ...process.env,
    // It writes into its namespace, and takes part in no election.
    POD_NAMESPACE: 'istio-system',
    POD_NAME: 'istiod',
    PILOT_ENABLE_XDS_IDENTITY_CHECK: 'false',
    PILOT_CERT_PROVIDER: 'none',
    INJECT_ENABLED: 'false',
    ENABLE_LEADER_ELECTION: 'false',
    VALIDATION_WEBHOOK_CONFIG_NAME: '',
    INJECTION_WEBHOOK_CONFIG_NAME: '',
    PILOT_ENABLE_GATEWAY_API: String(readsGatewayApi),
    // Classes, and proxies for Gateways, belong to the suite.
    PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER: 'false',
    PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER: 'false',
    // Filters that only Istio's own build of Envoy has.
    PILOT_ENABLE_ALPN_FILTER: 'false',
    PILOT_ENABLE_METADATA_EXCHANGE: 'false',
    // A change is pushed at once, and not gathered with the changes of the next 100 ms.
    PILOT_DEBOUNCE_AFTER: '20ms',
  };
  const istiod = startGuarded(
    'istiod',
    [
      program,
      'discovery',
      `--kubeconfig=${kubeconfigFile}`,
      `--meshConfig=${meshConfig}`,
      `--httpAddr=127.0.0.1:${httpPort}`,
      `--grpcAddr=127.0.0.1:${xdsPort}`,
      `--monitoringAddr=127.0.0.1:${monitoringPort}`,
      '--secureGRPCAddr=',
      '--httpsAddr=',
      '--ctrlz_port=0',
      '--keepaliveMaxServerConnectionAge=24h',
    ],
    join(folder, 'log'),
    env,
  );
  const stop = async () => {
    await istiod.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  await untilReady({
    name: 'istiod',
    url: `http://127.0.0.1:${httpPort}/ready`,
    processes: [istiod],
    logTail: () => istiod.logTail(),
    stop,
  });
  return { xdsPort, logTail: () => istiod.logTail(), stop };
}
