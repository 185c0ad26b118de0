import { startRealEnvironment } from '../scenarios/environment.ts';
import { networkPolicySuite } from '../scenarios/network-policies.ts';

networkPolicySuite('a real control plane', () => startRealEnvironment());
