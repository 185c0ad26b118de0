import { CLIENT, GATEWAY_NAME } from './places.ts';
import { canary, type Row, row, TWO_PORTS } from './row.ts';

/** The pods listen on two ports, and a Service of the user's leads to both. */
const FOUND: Row['pods'] = {
  ...TWO_PORTS,
  found: [
    { name: 'http', port: 80, targetPort: 'http' },
    { name: 'http-admin', port: 9090, targetPort: 9090 },
  ],
};

/** `portDiscovery`, `portName`, `port`, `targetPort` and `appProtocol`. */
export const ports: readonly Row[] = [
  row(
    'a port found at the container: requests to both ports go where the routes say',
    { service: { portDiscovery: true }, pods: TWO_PORTS, routes: canary },
    [{}, { version: '2', port: 8080 }],
    [{ port: 9090 }, { version: '2', port: 9090 }],
  ),
  row(
    'a port found at the container, of the primary',
    { service: { portDiscovery: true }, pods: TWO_PORTS },
    [{}, { version: '1', port: 8080 }],
    [{ port: 9090 }, { version: '1', port: 9090 }],
  ),
  row(
    'a port found at the container, and a gateway, which leads to the port of the Canary',
    { service: { portDiscovery: true, gateways: [GATEWAY_NAME], hosts: ['ports.example'] }, pods: TWO_PORTS, routes: canary },
    [
      { host: 'ports.example', isOutside: true },
      { version: '2', port: 8080 },
    ],
    // The mesh routes nothing: the apex Service has both ports.
    [{ port: 9090 }, { version: '1', port: 9090 }],
  ),
  row(
    'a port found at the container, a gateway and the mesh: clients of that port stay at it, by the Service',
    { service: { portDiscovery: true, gateways: [GATEWAY_NAME, 'mesh'], hosts: ['both-ports.example'] }, pods: TWO_PORTS, routes: canary },
    [
      { host: 'both-ports.example', isOutside: true },
      { version: '2', port: 8080 },
    ],
    [{}, { version: '2', port: 8080 }],
    [{ port: 9090 }, { version: '1', port: 9090 }],
  ),
  row(
    'a port found at the container, the mesh and a gateway: clients of the mesh go where the routes say, at both ports',
    { service: { portDiscovery: true, gateways: ['mesh', GATEWAY_NAME], hosts: ['mesh-first.example'] }, pods: TWO_PORTS, routes: canary },
    [{}, { version: '2', port: 8080 }],
    [{ port: 9090 }, { version: '2', port: 9090 }],
  ),
  row(
    'a condition on the port that clients address: at the other one they are at the Service',
    { service: { portDiscovery: true, match: [{ port: 9090 }] }, pods: TWO_PORTS, routes: canary },
    [{ port: 9090 }, { version: '2', port: 9090 }],
    [{}, { version: '1', port: 8080 }],
  ),
  row(
    'a name of the port that speaks of TCP, and a protocol that says HTTP',
    { service: { portName: 'tcp-web', appProtocol: 'http' }, routes: canary },
    [{}, { version: '2', port: 8080 }],
  ),
  row('another port, to a numbered one of the pods', { service: { port: 8081, targetPort: 8080, portName: 'http-web' }, routes: canary }, [
    { port: 8081 },
    { version: '2', port: 8080 },
  ]),
  row(
    'a Service that was there keeps a port that the Canary does not name, beside one found at the container',
    { service: { portDiscovery: true }, pods: { ...TWO_PORTS, found: [{ name: 'http-extra', port: 9898, targetPort: 'http' }] } },
    [{}, { version: '1', port: 8080 }],
    [{ port: 9090 }, { version: '1', port: 9090 }],
    [{ port: 9898 }, { version: '1', port: 8080 }],
  ),
  row(
    'a Service that was there with two ports, in the mesh: both go where the routes say',
    { pods: FOUND, routes: canary },
    [{}, { version: '2', port: 8080 }],
    [{ port: 9090 }, { version: '2', port: 9090 }],
  ),
  ...[
    ['mesh', GATEWAY_NAME],
    [GATEWAY_NAME, 'mesh'],
  ].map(
    (gateways, index): Row =>
      row(
        `a Service that was there with two ports, and ${gateways.join(' and ')}: each port leads to its own`,
        { service: { gateways, hosts: [`two-ports-${index}.example`] }, pods: FOUND, routes: canary },
        [
          { host: `two-ports-${index}.example`, isOutside: true },
          { version: '2', port: 8080 },
        ],
        [{}, { version: '2', port: 8080 }],
        [{ port: 9090 }, { version: '1', port: 9090 }],
      ),
  ),
  row(
    'a Service that was there with two ports, a gateway, and a condition on labels of clients: each port leads to its own',
    {
      service: { gateways: [GATEWAY_NAME, 'mesh'], hosts: ['labels.example'] },
      pods: FOUND,
      routes: { kind: 'matched', match: [{ sourceLabels: CLIENT.labels }, { headers: { 'x-canary': { exact: 'yes' } } }] },
    },
    [
      { host: 'labels.example', isOutside: true },
      { version: '1', port: 8080 },
    ],
    [
      { host: 'labels.example', isOutside: true, headers: { 'x-canary': 'yes' } },
      { version: '2', port: 8080 },
    ],
    [{}, { version: '2', port: 8080 }],
    [{ port: 9090 }, { version: '1', port: 9090 }],
  ),
  row(
    'a Service that was there with two ports, a gateway, and a route for labels of clients: each port leads to its own',
    {
      service: { gateways: [GATEWAY_NAME, 'mesh'], hosts: ['clients.example'], match: [{ sourceLabels: CLIENT.labels }] },
      pods: FOUND,
      routes: canary,
    },
    [{}, { version: '2', port: 8080 }],
    [{ port: 9090 }, { version: '1', port: 9090 }],
  ),
];
