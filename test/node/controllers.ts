import { expect } from 'vitest';
import { ensureFlaggerChart } from '../../scripts/e2e-flagger.ts';
import { type Helm, startHelm } from '../e2e/helm.ts';
import type { ControllerName } from './faults.ts';
import { administrator, type Installed, installSerin } from './installed.ts';
import type { RealNode } from './real-node.ts';

export interface Controller extends Pick<Installed, 'apply' | 'serin'> {
  readonly name: ControllerName;
  readonly helm: Helm;
}

const leaderElection = { enabled: true, replicaCount: 2 };

/** Two replicas of each, by their images and charts; the node has loaded the images. */
export const CONTROLLERS: Readonly<Record<ControllerName, (node: RealNode) => Promise<Controller>>> = {
  serin: async (node) => ({ name: 'serin', ...(await installSerin(node, { leaderElection, providers: ['contour'] })) }),
  async flagger(node) {
    const helm = await startHelm(node.plane.adminKubeconfigFile);
    // No check needs metrics.
    const file = helm.valuesFile({ meshProvider: 'kubernetes', leaderElection, metricsServer: 'http://127.0.0.1:9' });
    const where = ['--namespace', 'flagger', '--create-namespace'];
    const ran = await helm.run('install', 'flagger', await ensureFlaggerChart(), ...where, '--values', file, '--wait', '--timeout', '4m');
    expect(ran.complained + ran.said).toContain('STATUS: deployed');
    return { name: 'flagger', helm, ...administrator(node) };
  },
};
