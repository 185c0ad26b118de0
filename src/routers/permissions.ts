import type { Permission } from '../api/permission.ts';
import { mapDefinitions } from './index.ts';
import { MADE } from './provider.ts';

/** Permissions of each provider's router besides Services. */
export const routerPermissions = mapDefinitions(({ permissions }) => permissions);

/** The services of the core group that every provider has, the ones that traffic leaves by. */
export const servicePermissions: readonly Permission[] = [
  { group: '', resources: ['services'], verbs: MADE, purpose: 'the apex, primary and canary Services' },
];
