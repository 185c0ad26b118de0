import { MADE_AND_REMOVED, routes } from '../provider.ts';

export const ingressPermissions = [routes('networking.k8s.io', ['ingresses'], MADE_AND_REMOVED)];
