/** Facts that an application can lose when a Canary arrives. */
export const kindsOfLoss = {
  /** The port of the apex Service that the Canary names. */
  'apex Service': 'required',
  /** Another port of the apex Service. */
  'apex port': 'required',
  'further Service': 'required',
  /** Other workloads behind a Service of the application. */
  'shared Service': 'required',
  /** Users whom a Service leads to the canary beside the routes. */
  'unweighted canary': 'required',
  /** A Service that never led to the application. */
  'other Service': 'required',
  'port name': 'required',
  appProtocol: 'required',
  'Service terms': 'required',
  route: 'required',
  NetworkPolicy: 'required',
  /** A policy of another workload that knows the application by its label. */
  peer: 'required',
  /** AuthorizationPolicy and its kin. */
  'workload policy': 'required',
  DestinationRule: 'required',
  PDB: 'named',
  HPA: 'named',
  VPA: 'named',
  monitor: 'named',
  /** Hosts that proxies of the application can reach by name: it secures nothing. */
  Sidecar: 'named',
  /** A refusal that names no object. */
  refusal: 'required',
  /** Neither served nor refused before the first write. */
  stuck: 'required',
} as const;

export type KindOfLoss = keyof typeof kindsOfLoss;

/** Serin must keep every fact that users and security need, or refuse the Canary; for other facts a warning that names the object is enough. */
export const isRequired = (kind: KindOfLoss): boolean => kindsOfLoss[kind] === 'required';
