/** What an application can lose when a Canary arrives, with the finding of issue 42 that it belongs to. */
export const kindsOfLoss = {
  'further Service': { finding: 1, isRequired: true },
  'shared Service': { finding: 3, isRequired: true },
  'unweighted canary': { finding: 3, isRequired: true },
  /** The Service that the Canary names. */
  'apex Service': { finding: 0, isRequired: true },
  /** One that never led to the application. */
  'other Service': { finding: 0, isRequired: true },
  'port name': { finding: 5, isRequired: true },
  appProtocol: { finding: 5, isRequired: true },
  'Service terms': { finding: 5, isRequired: true },
  route: { finding: 0, isRequired: true },
  NetworkPolicy: { finding: 1, isRequired: true },
  /** A policy of another workload that knows the application by its label. */
  peer: { finding: 2, isRequired: true },
  'workload policy': { finding: 1, isRequired: true },
  DestinationRule: { finding: 4, isRequired: true },
  PDB: { finding: 1, isRequired: false },
  HPA: { finding: 1, isRequired: false },
  VPA: { finding: 1, isRequired: false },
  monitor: { finding: 1, isRequired: false },
  /** A refusal that names no object, or that comes after a write. */
  refusal: { finding: 0, isRequired: true },
  /** Neither served nor refused. */
  stuck: { finding: 0, isRequired: true },
} as const satisfies Record<string, { finding: number; isRequired: boolean }>;

export type KindOfLoss = keyof typeof kindsOfLoss;

/** Whether a warning that names the object is not enough. */
export const isRequired = (kind: KindOfLoss): boolean => kindsOfLoss[kind].isRequired;
