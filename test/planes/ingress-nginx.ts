import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NGINX_LUA } from '../../scripts/e2e-binaries.ts';
import { ensureIngressNginx } from '../../scripts/e2e-ingress-nginx.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { namespacesFor } from '../scenarios/shares/split-app.ts';
import { untilReady } from './until-ready.ts';

export interface IngressController {
  readonly url: string;
  /** Its own counters, as Prometheus text. */
  readonly metricsUrl: string;
  /** The upstreams that the worker process of nginx uses, as JSON. */
  readonly balancersUrl: string;
  logTail(): string;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 45_000;
const OWN = { namespace: 'ingress-nginx', name: 'controller' };
const LOOK_PORT = 10299;
/** Port to which the controller sends its list of TCP and UDP services, which is empty; it reads no reply. */
const STREAM_PORT = 10247;
/** Its paths are compiled in, so it runs in a mount namespace in which they are ours. Its nginx ends with its process. */
const ENTER = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c'] as const;
const MOUNT = 'folder=$1; shift; mount --bind "$folder/etc" /etc && mount --bind "$folder/tmp" /tmp && exec "$@"';

/** The balancers of this worker, which are not what it was sent last: it looks for news once a second. */
const LOOK = `
server {
  listen 127.0.0.1:${LOOK_PORT};
  location / {
    content_by_lua_block {
      local cjson = require("cjson.safe")
      local seen = {}
      for _, backend in ipairs(cjson.decode(configuration.get_backends_data() or "[]")) do
        local found = balancer.get_balancer_by_upstream_name(backend.name)
        seen[backend.name] = found and {
          policy = found.traffic_shaping_policy, alternatives = found.alternative_backends, nodes = found.instance.nodes,
        } or {}
      end
      ngx.say(cjson.encode(seen))
    }
  }
}`;

const SETTINGS = {
  'worker-processes': '1',
  'use-http2': 'false',
  'disable-access-log': 'true',
  // Each Ingress of any namespace reloads nginx, which then closes idle connections, and with them a request that is just being sent.
  'keep-alive': '0',
  // Takes a module less.
  'server-tokens': 'true',
  'main-snippet': [
    'user root;',
    ...[NGINX_LUA['libnginx-mod-http-ndk'], NGINX_LUA['libnginx-mod-http-lua']].map((file) => `load_module ${file};`),
  ].join('\n'),
  'http-snippet': LOOK,
};

/** Libraries that Debian lacks. Only round robin is called: no Ingress here needs the others. */
const STAND_INS = join(import.meta.dirname, 'ingress-nginx-lua');
const NEVER_CALLED = ['chash', 'cookie', 'dns/resolver', 'global_throttle', 'http', 'ipmatcher'];

/** The real controller of ingress-nginx on a cluster, with the nginx that it drives; both end with this process. */
export async function startIngressController(cluster: KubeCluster, kubeconfigFile: string): Promise<IngressController> {
  const { program, nginx, files } = await ensureIngressNginx();
  await applyOwnObjects(cluster);
  const folder = mkdtempSync(join(tmpdir(), 'serin-ingress-nginx-'));
  for (const name of ['etc/nginx', 'etc/ingress-controller/telemetry', 'tmp/nginx']) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['passwd', 'group', 'hosts', 'resolv.conf', 'nginx/mime.types'])
    cpSync(join('/etc', name), join(folder, 'etc', name), { dereference: true });
  cpSync(files, join(folder, 'etc', 'nginx'), { recursive: true });
  const lua = join(folder, 'etc', 'nginx', 'lua');
  cpSync(STAND_INS, lua, { recursive: true });
  for (const name of NEVER_CALLED) {
    const file = join(lua, 'resty', `${name}.lua`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'return {}\n');
  }
  const template = join(folder, 'etc', 'nginx', 'template', 'nginx.tmpl');
  writeFileSync(template, withoutStreams(readFileSync(template, 'utf8')));
  cpSync(kubeconfigFile, join(folder, 'tmp', 'kubeconfig'));
  cpSync(program, join(folder, 'tmp', 'controller'));
  const streams = createServer((socket) => socket.resume());
  const controller = startGuarded(
    'ingress-nginx',
    [
      ...ENTER,
      MOUNT,
      'sh',
      folder,
      '/tmp/controller',
      '--kubeconfig=/tmp/kubeconfig',
      `--configmap=${OWN.namespace}/${OWN.name}`,
      '--update-status=false',
      // Its default of 0.3 lets a change wait for 3.3 s, longer than pods of these scenarios are kept. At 1 and more a change can be lost: the
      // Lua compares whole seconds, and takes a second change of one second for the first.
      '--sync-rate-limit=0.9',
    ],
    join(folder, 'log'),
    { ...process.env, NGINX_BINARY: nginx, POD_NAMESPACE: OWN.namespace, POD_NAME: OWN.name },
  );
  const stop = async () => {
    await controller.stop();
    streams.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const balancersUrl = `http://127.0.0.1:${LOOK_PORT}/`;
  await untilReady({
    name: 'ingress-nginx',
    url: balancersUrl,
    processes: [controller],
    logTail: () => controller.logTail(),
    stop,
    withinMs: READY_WITHIN_MS,
  });
  // It refuses to start where this port is taken.
  streams.listen(STREAM_PORT, '127.0.0.1');
  return {
    url: 'http://127.0.0.1:80',
    metricsUrl: 'http://127.0.0.1:10254/metrics',
    balancersUrl,
    logTail: () => controller.logTail(),
    stop,
  };
}

/** Its class, its settings, and the pod that it takes itself to be. */
async function applyOwnObjects(cluster: KubeCluster): Promise<void> {
  await namespacesFor(cluster, [OWN.namespace]);
  const ingressClass = { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name: 'nginx' } };
  await cluster.create({ ...ingressClass, spec: { controller: 'k8s.io/ingress-nginx' } });
  await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: OWN, data: SETTINGS });
  const containers = [{ name: 'controller', image: 'controller:1' }];
  await cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata: { ...OWN, labels: { app: 'controller' } }, spec: { containers } });
}

/** Debian has no Lua for streams of TCP and UDP. */
function withoutStreams(template: string): string {
  const [http = '', streams = ''] = template.split('\nstream {\n');
  const after = /\n\}\n+(\{\{\/\*.*)$/s.exec(streams)?.[1];
  if (after === undefined) throw new Error('the template of ingress-nginx has another form than this knows');
  return `${http}\n${after}`;
}
