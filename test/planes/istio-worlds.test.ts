import type { KubeObject } from '../../src/api/kube-object.ts';
import { anEnvironment } from '../scenarios/environment.ts';
import { GATEWAY, gatewayObject } from '../scenarios/istio/places.ts';
import { playRoutedWorlds } from '../scenarios/routed-worlds.ts';
import { startIstioGround } from './istio-plane.ts';

const environment = anEnvironment(startIstioGround);
const gateway = { namespace: GATEWAY.namespace, name: gatewayObject.metadata.name };

/** The same proxy opens a port for each rule. */
const opens = (name: string, ports: readonly number[]): KubeObject => ({
  ...gatewayObject,
  metadata: { ...gatewayObject.metadata, name },
  spec: {
    selector: GATEWAY.labels,
    servers: ports.map((number) => ({ port: { number, name: `tcp-${number}`, protocol: 'TCP' }, hosts: ['*'] })),
  },
});

playRoutedWorlds(environment, { kind: 'VirtualService', url: () => environment().entries?.gateway ?? '', gateway }, 4);
playRoutedWorlds(environment, { kind: 'VirtualService', url: ({ port }) => `http://127.0.0.1:${port}`, opens }, 4);
