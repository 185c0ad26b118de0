import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureEnvoy } from '../../scripts/e2e-envoy.ts';
import { freePort } from '../e2e/free-port.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import type { Place } from '../scenarios/istio/places.ts';
import { untilReady } from './until-ready.ts';

export interface IstioProxy {
  readonly admin: string;
  /** Envoy's own counters, as Prometheus text. */
  readonly metricsUrl: string;
  logTail(): string;
  stop(): Promise<void>;
}

const ADS = { ads: {}, resource_api_version: 'V3' };

interface Node extends Place {
  name: string;
  ip: string;
}

/**
 * A real Envoy that istiod configures: the sidecar of a client, whose ports of Services are called by hand since no traffic is captured, or an ingress
 * gateway (`router`).
 */
export async function startIstioProxy(kind: 'sidecar' | 'router', node: Node, xdsPort: number): Promise<IstioProxy> {
  const program = await ensureEnvoy();
  const folder = mkdtempSync(join(tmpdir(), 'serin-istio-proxy-'));
  const adminPort = await freePort();
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify(bootstrapOf(kind, node, { xdsPort, adminPort })));
  const envoy = startGuarded(
    'envoy',
    [program, '--config-path', bootstrap, '--concurrency', '1', '--log-level', 'warning', '--use-dynamic-base-id'],
    join(folder, 'log'),
  );
  const stop = async () => {
    await envoy.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const admin = `http://127.0.0.1:${adminPort}`;
  await untilReady({ name: 'envoy', url: `${admin}/ready`, processes: [envoy], logTail: () => envoy.logTail(), stop });
  return { admin, metricsUrl: `${admin}/stats/prometheus`, logTail: () => envoy.logTail(), stop };
}

/** Bootstrap file that Istio's agent writes for a proxy, without certificates. */
function bootstrapOf(
  kind: 'sidecar' | 'router',
  { name, namespace, labels, ip }: Node,
  { xdsPort, adminPort }: { xdsPort: number; adminPort: number },
): object {
  const address = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });
  const http2 = {
    '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    explicit_http_config: { http2_protocol_options: {} },
  };
  return {
    node: {
      id: `${kind}~${ip}~${name}.${namespace}~${namespace}.svc.cluster.local`,
      cluster: `${name}.${namespace}`,
      metadata: {
        NAMESPACE: namespace,
        NAME: name,
        INSTANCE_IPS: ip,
        ...(kind === 'sidecar' && { INTERCEPTION_MODE: 'NONE' }),
        CLUSTER_ID: 'Kubernetes',
        LABELS: labels,
      },
    },
    admin: { address: address(adminPort) },
    // As in Istio's bootstrap: Envoy's own rule ends the name of a cluster at its first dot. Istio ends it with a semicolon.
    stats_config: {
      use_all_default_tags: false,
      stats_tags: [
        { tag_name: 'cluster_name', regex: '^cluster\\.((.+?);\\.)' },
        { tag_name: 'response_code', regex: '_rq(_(\\d{3}))$' },
      ],
    },
    dynamic_resources: {
      ads_config: { api_type: 'GRPC', transport_api_version: 'V3', grpc_services: [{ envoy_grpc: { cluster_name: 'xds-grpc' } }] },
      cds_config: ADS,
      lds_config: ADS,
    },
    static_resources: {
      clusters: [
        {
          name: 'xds-grpc',
          type: 'STATIC',
          connect_timeout: '1s',
          typed_extension_protocol_options: { 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': http2 },
          load_assignment: { cluster_name: 'xds-grpc', endpoints: [{ lb_endpoints: [{ endpoint: { address: address(xdsPort) } }] }] },
        },
      ],
    },
  };
}
