import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { topologyHintsSuite } from '../suite/topology-hints.ts';

topologyHintsSuite('the embedded cluster', () => startEmbeddedCluster({ nodes: { nodes: [] } }));
