import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { virtualWorld } from '../../src/embedded/virtual/virtual-world.ts';
import { daemonNodes, daemonSetSuite } from '../suite/daemon-sets.ts';

daemonSetSuite('the embedded cluster', () => startEmbeddedCluster({ nodes: { nodes: daemonNodes, graceScale: 0.05 } }));
