import type { KindOfLoss } from './kinds-of-loss.ts';

/** What Serin still loses, with the finding of issue 42 that it belongs to. An entry goes when the trap of its kind is found unsprung. */
export const knownLosses: Partial<Record<KindOfLoss, { finding: number }>> = {
  'further Service': { finding: 1 },
  PDB: { finding: 1 },
  VPA: { finding: 1 },
  NetworkPolicy: { finding: 1 },
  'workload policy': { finding: 1 },
  monitor: { finding: 1 },
  peer: { finding: 2 },
  'shared Service': { finding: 3 },
  'unweighted canary': { finding: 3 },
  DestinationRule: { finding: 4 },
  'port name': { finding: 5 },
  appProtocol: { finding: 5 },
  'Service terms': { finding: 5 },
  'apex port': { finding: 5 },
};
